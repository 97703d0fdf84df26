/** Parses traces of `trace_block` (OpenEthereum's form, also Nethermind's, Erigon's, Reth's and anvil's): one flat list in pre-order. */

import { AnswerError, AnswerObject } from "./answer-object.ts";
import type { Address, FrameType } from "./block.ts";

export interface TraceFrame {
  readonly type: FrameType;
  readonly depth: number;
  readonly from: Address;
  /** undefined: a failed creation; filled in if it can be derived */
  to: Address | undefined;
  /** wei */
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** the frame's own error, in the node's words; frames below a failed one have none */
  readonly error: string | undefined;
  /** length of the code that a creation left; otherwise 0 */
  readonly codeLength: number;
  /** `0x…`, for CREATE2 only */
  readonly initCode: string | undefined;
}

/** Frames of a transaction's trace, and its hash if the tracer names it. */
export interface TransactionTrace {
  readonly transactionHash: string | undefined;
  readonly frames: TraceFrame[];
}

/** Traces that were read as a stream, without irrelevant frames. */
export class ReadTraces {
  readonly transactions: readonly (TransactionTrace | undefined)[];

  /** @param transactions undefined: the trace of the transaction at that index is not available */
  constructor(transactions: readonly (TransactionTrace | undefined)[]) {
    this.transactions = transactions;
  }
}

/** A call frame of a trace, whatever the tracer. The first one, at depth 0, is the transaction's own call; all are in pre-order. */
export const ZERO_ADDRESS: Address = "0".repeat(40);

/** The EVM nests at most 1024 calls, so a deeper trace is invalid. */
export const MAX_DEPTH = 1025;

const TYPES = new Set<string>(["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CREATE", "CREATE2", "SELFDESTRUCT"]);

/** Tracers know more types than the Data API lists. A type that is never listed need not have an address. */
export function frameType(name: string): FrameType {
  return TYPES.has(name) ? (name as FrameType) : "OTHER";
}

export function isCreation(frame: { readonly type: FrameType }): boolean {
  return frame.type === "CREATE" || frame.type === "CREATE2";
}

/** Most frames of a block that are kept while it is read. Each costs at least 100 gas, most of them several thousand. */
export const MOST_FRAMES = 500_000;

/** approximate memory of a frame, bytes */
export const FRAME_BYTES = 400;

/** Whether the frame is indexed. Other frames are kept only if they call one that is. */
export function isKept({ type, value }: TraceFrame): boolean {
  if (type === "CALL" || type === "CALLCODE") return value > 0n;
  return type === "CREATE" || type === "CREATE2" || type === "SELFDESTRUCT";
}

export function isTraceBlockForm(traces: readonly unknown[]): boolean {
  const first = traces[0];
  return typeof first === "object" && first !== null && "action" in first;
}

export function parseTraceBlock(traces: readonly unknown[], where: string): TransactionTrace[] {
  const flat = new FlatTraces(where, { keepsAll: true });
  for (const trace of traces) flat.add(trace);
  return flat.end();
}

/** Takes the traces of a block or of a transaction one by one. */
export class FlatTraces {
  readonly #where: string;
  readonly #keepsAll: boolean;
  readonly #transactions: TransactionTrace[] = [];
  #added = 0;
  #depth = 0;
  #kept = 0;

  /** @param options `keepsAll` false: irrelevant frames are left out */
  constructor(where: string, { keepsAll }: { keepsAll: boolean }) {
    this.#where = where;
    this.#keepsAll = keepsAll;
  }

  /** number of kept frames */
  get kept(): number {
    return this.#kept;
  }

  add(entry: unknown): void {
    const trace = new AnswerObject(entry, `${this.#where}: traces[${this.#added++}]`);
    // a miner's reward belongs to no transaction
    if (trace.text("type") === "reward") return;
    const frame = parseFrame(trace);
    const last = this.#transactions.at(-1);
    if (frame.depth === 0) {
      this.#leaveOut(last, 1);
      // a system call before or after the transactions has no transaction hash
      this.#transactions.push({ transactionHash: hashOf(trace), frames: [frame] });
    } else if (last === undefined || last.transactionHash !== hashOf(trace) || frame.depth > this.#depth + 1) {
      throw trace.wrong("traceAddress", "that of the next frame in the order of calls");
    } else {
      this.#leaveOut(last, frame.depth);
      last.frames.push(frame);
    }
    this.#kept++;
    this.#depth = frame.depth;
  }

  end(): TransactionTrace[] {
    this.#leaveOut(this.#transactions.at(-1), 1);
    return this.#transactions.filter(({ transactionHash }) => transactionHash !== "");
  }

  /** Drops irrelevant frames at the end, down to `depth`, the depth of the next frame. */
  #leaveOut(transaction: TransactionTrace | undefined, depth: number): void {
    if (this.#keepsAll || transaction === undefined) return;
    const { frames } = transaction;
    for (let last = frames.at(-1)!; last.depth >= depth && !isKept(last); last = frames.at(-1)!) {
      frames.pop();
      this.#kept--;
    }
  }
}

function hashOf(trace: AnswerObject): string {
  return trace.has("transactionHash") ? trace.hash("transactionHash") : "";
}

function parseFrame(trace: AnswerObject): TraceFrame {
  const action = trace.object("action");
  const depth = trace.list("traceAddress").length;
  if (depth > MAX_DEPTH) throw new AnswerError(`${trace.where} is deeper than ${MAX_DEPTH} calls, the most that an EVM allows`);
  const error = trace.has("error") ? trace.text("error") : undefined;
  const result = trace.has("result") ? trace.object("result") : undefined;
  const type = typeOf(trace.text("type"), action);
  const frame = {
    type,
    depth,
    value: action.optionalQuantity("value") ?? action.optionalQuantity("balance") ?? 0n,
    gasLimit: action.optionalUint64("gas") ?? 0n,
    gasUsed: result?.optionalUint64("gasUsed") ?? 0n,
    error,
    codeLength: 0,
    initCode: type === "CREATE2" ? action.knownText("init") : undefined,
  };
  if (type === "SELFDESTRUCT")
    return { ...frame, from: action.address("address"), to: action.optionalAddress("refundAddress") ?? ZERO_ADDRESS };
  if (type === "OTHER")
    return { ...frame, from: action.optionalAddress("from") ?? ZERO_ADDRESS, to: action.optionalAddress("to") ?? ZERO_ADDRESS };
  if (type !== "CREATE" && type !== "CREATE2") return { ...frame, from: action.address("from"), to: action.address("to") };
  if (error !== undefined) return { ...frame, from: action.address("from"), to: undefined };
  if (result === undefined) throw trace.wrong("result", "an object, since there is no error");
  return {
    ...frame,
    from: action.address("from"),
    to: result.address("address"),
    codeLength: result.has("code") ? result.byteLength("code") : 0,
  };
}

function typeOf(kind: string, action: AnswerObject): FrameType {
  if (kind === "suicide" || kind === "selfdestruct") return "SELFDESTRUCT";
  if (kind === "create") return action.has("creationMethod") && action.text("creationMethod") === "create2" ? "CREATE2" : "CREATE";
  return kind === "call" ? frameType(action.text("callType").toUpperCase()) : "OTHER";
}
