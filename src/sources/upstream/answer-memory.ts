import type { RpcCall } from "./upstream-rpc.ts";

// The largest length of an answer to a call. A longer answer is invalid, or more than this process accepts.

/** Methods that an upstream does not have. It may have them later: it was starting, or is started with other APIs. */
const FIRST_MISSING_MS = 500;
const LONGEST_MISSING_MS = 30_000;

export class MissingMethods {
  /** with their paths */
  readonly #missing = new Map<string, { readonly times: number; readonly until: number }>();

  has(call: RpcCall): boolean {
    return performance.now() < (this.#missing.get(nameOf(call))?.until ?? 0);
  }

  learn(call: RpcCall, isThere: boolean): void {
    const name = nameOf(call);
    if (isThere) {
      this.#missing.delete(name);
      return;
    }
    const times = (this.#missing.get(name)?.times ?? 0) + 1;
    this.#missing.set(name, { times, until: performance.now() + Math.min(LONGEST_MISSING_MS, FIRST_MISSING_MS * 2 ** times) });
  }
}

function nameOf({ path = "", method }: RpcCall): string {
  return `${path} ${method}`;
}

const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** bytes of JSON for a number, a name or a hash */
const SCALAR = 4 * KIB;
const OTHERS = 16 * MIB;

const ANSWER_BYTES: Readonly<Record<string, number>> = {
  eth_chainId: SCALAR,
  net_version: SCALAR,
  web3_clientVersion: SCALAR,
  eth_blockNumber: SCALAR,
  eth_gasPrice: SCALAR,
  eth_estimateGas: SCALAR,
  eth_getBalance: SCALAR,
  eth_getTransactionCount: SCALAR,
  eth_getCode: 2 * MIB,
  eth_call: OTHERS,
  // some 100,000 transactions, or 10 MB of input
  eth_getBlockByNumber: 128 * MIB,
  // 1,024 containers
  "index.getContainerRange": 64 * MIB,
  // some 250,000 logs without data, or 60 MB of data
  eth_getBlockReceipts: 128 * MIB,
  eth_getTransactionReceipt: 128 * MIB,
};

/** calls whose answers are parsed as a stream, without the parts that are not used */
const TRACES = new Set(["debug_traceBlockByNumber", "debug_traceTransaction", "trace_block", "trace_transaction"]);

/** A WebSocket delivers only whole messages. */
export const WEB_SOCKET_BYTES = 64 * MIB;

export interface AnswerBounds {
  /** of one message without traces */
  readonly maxAnswerBytes: number;
  /** of one message with traces */
  readonly maxTraceBytes: number;
}

/** Most bytes of the answer to one message. */
export function answerBytes(calls: readonly RpcCall[], { maxAnswerBytes, maxTraceBytes }: AnswerBounds): number {
  const isBounded = ({ mostBytes }: RpcCall) => mostBytes !== undefined;
  if (calls.some((call) => TRACES.has(call.method) && !isBounded(call))) return maxTraceBytes;
  const sum = calls.reduce((bytes, { method, mostBytes }) => bytes + (mostBytes ?? ANSWER_BYTES[method] ?? OTHERS), 0);
  return Math.min(sum, maxAnswerBytes);
}

/** Whether an answer beyond its bound is invalid. For other methods, the answer may really be that large. */
export function isScalar({ method }: RpcCall): boolean {
  return ANSWER_BYTES[method] === SCALAR;
}

/**
 * One memory budget for all answers that are being read. An answer beyond the budget waits, unread in its connection, until others are
 * done. The oldest answer always continues, so that one of them makes progress.
 */
export interface AnswerShare {
  /** Sets how much memory the answer uses; resolves when it may use more. */
  hold(bytes: number): Promise<void> | undefined;
  /** Releases all of it. */
  release(): void;
}

export class AnswerMemory {
  readonly #capacity: number;
  /** oldest first */
  readonly #shares = new Set<Share>();
  #used = 0;
  #mostUsed = 0;

  /** @param capacity bytes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** most bytes that answers used at once so far */
  get mostUsed(): number {
    return this.#mostUsed;
  }

  open(): AnswerShare {
    const share = new Share((change) => this.#change(share, change));
    this.#shares.add(share);
    return share;
  }

  /** Returns whether the answer may continue. */
  #change(share: Share, change: number): boolean {
    this.#used += change;
    this.#mostUsed = Math.max(this.#mostUsed, this.#used);
    if (share.isReleased) this.#shares.delete(share);
    if (change < 0 || share.isReleased) for (const each of this.#shares) if (this.#mayGoOn(each)) each.wake();
    return this.#mayGoOn(share);
  }

  #mayGoOn(share: Share): boolean {
    const [first] = this.#shares;
    return this.#used <= this.#capacity || share === first;
  }
}

class Share implements AnswerShare {
  isReleased = false;
  readonly #change: (change: number) => boolean;
  #held = 0;
  #wake: (() => void) | undefined;

  constructor(change: (change: number) => boolean) {
    this.#change = change;
  }

  hold(bytes: number): Promise<void> | undefined {
    const change = bytes - this.#held;
    this.#held = bytes;
    if (this.isReleased || this.#change(change)) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.#change(-this.#held);
    this.wake();
  }
}
