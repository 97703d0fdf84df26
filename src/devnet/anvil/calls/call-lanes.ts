/**
 * Limits how many client calls the child works on at once. Calls that execute or search share a few places, so that a block never waits for
 * many of them; quick lookups have places of their own, and so do calls that can take as long as many others. In each lane no client can
 * hold all places, and the next free one goes to the client whose calls have taken the least time (start-time fair queueing, as for request
 * turns).
 */
import { availableParallelism } from "node:os";
import type { EvmCall } from "../evm-call.ts";

const QUICK_PLACES = 32;
const QUICK_PLACES_OF_CLIENT = 8;
const SLOW_PLACES = Math.max(2, availableParallelism() - 1);
/** The child holds a trace in memory until it is sent. */
const DEAR_PLACES = 1;
const DEAR = /^(?:(?:debug|trace|ots)_|eth_simulateV1$)/;

const QUICK: ReadonlySet<string> = new Set([
  "eth_accounts",
  "eth_blockNumber",
  "eth_chainId",
  "eth_coinbase",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getBlockReceipts",
  "eth_getBlockTransactionCountByHash",
  "eth_getBlockTransactionCountByNumber",
  "eth_getCode",
  "eth_getStorageAt",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getTransactionByBlockNumberAndIndex",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_maxPriorityFeePerGas",
  "eth_sendRawTransaction",
  "eth_sendRawTransactionSync",
  "eth_syncing",
  "net_listening",
  "net_version",
  "txpool_status",
  "web3_clientVersion",
  "web3_sha3",
]);

/** Whether the child only looks the answer up. */
export function isQuick(method: string | undefined): boolean {
  return QUICK.has(method ?? "");
}

interface Share {
  /** milliseconds that its calls took, counted from the others' level at its arrival */
  used: number;
  running: number;
  readonly waiting: (() => void)[];
}

interface Places {
  readonly all: number;
  readonly ofClient: number;
}

/** @internal exported for its test */
export class Lane {
  readonly #places: Places;
  readonly #now: () => number;
  readonly #shares = new WeakMap<object, Share>();
  readonly #waiting = new Set<Share>();
  #running = 0;
  /** what the client that last got a place had used */
  #floor = 0;

  /** @param now returns milliseconds */
  constructor(places: Places, now: () => number = () => performance.now()) {
    this.#places = places;
    this.#now = now;
  }

  async pass<T>(client: object, work: () => Promise<T>): Promise<T> {
    const share = this.#shareOf(client);
    await new Promise<void>((resolve) => {
      share.waiting.push(resolve);
      this.#waiting.add(share);
      this.#goOn();
    });
    const startedAt = this.#now();
    try {
      return await work();
    } finally {
      share.used += this.#now() - startedAt;
      share.running--;
      this.#running--;
      this.#goOn();
    }
  }

  #shareOf(client: object): Share {
    const share = this.#shares.get(client) ?? { used: 0, running: 0, waiting: [] };
    this.#shares.set(client, share);
    if (share.waiting.length === 0) share.used = Math.max(share.used, this.#floor);
    return share;
  }

  #goOn(): void {
    while (this.#running < this.#places.all) {
      const next = this.#next();
      if (next === undefined) return;
      this.#floor = Math.max(this.#floor, next.used);
      next.running++;
      this.#running++;
      const start = next.waiting.shift()!;
      if (next.waiting.length === 0) this.#waiting.delete(next);
      start();
    }
  }

  #next(): Share | undefined {
    let next: Share | undefined;
    for (const share of this.#waiting) {
      if (share.running < this.#places.ofClient && (next === undefined || share.used < next.used)) next = share;
    }
    return next;
  }
}

/** Stands for all callers without a client. */
const NOBODY = {};

export class CallLanes {
  readonly #quick = new Lane({ all: QUICK_PLACES, ofClient: QUICK_PLACES_OF_CLIENT });
  readonly #slow = new Lane({ all: SLOW_PLACES, ofClient: SLOW_PLACES - 1 });
  readonly #dear = new Lane({ all: DEAR_PLACES, ofClient: DEAR_PLACES });

  pass<T>(call: Pick<EvmCall, "method" | "isDear">, client: object | undefined, work: () => Promise<T>): Promise<T> {
    return this.#laneOf(call).pass(client ?? NOBODY, work);
  }

  #laneOf({ method = "", isDear }: Pick<EvmCall, "method" | "isDear">): Lane {
    if (isQuick(method)) return this.#quick;
    return isDear || DEAR.test(method) ? this.#dear : this.#slow;
  }
}
