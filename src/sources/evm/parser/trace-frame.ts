/** A call frame of a trace, whatever the tracer. The first one, at depth 0, is the transaction's own call; all are in pre-order. */
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
