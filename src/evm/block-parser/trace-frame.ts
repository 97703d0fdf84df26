/** A call frame as a trace has it, whatever the tracer; the transaction's own is the first, at depth 0, all in pre-order. */
import type { Address, FrameType } from "../block.ts";

export interface TraceFrame {
  readonly type: FrameType;
  readonly depth: number;
  readonly from: Address;
  /** undefined: a creation that failed; filled in where it can be derived */
  to: Address | undefined;
  /** wei */
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** its own, in the node's words; frames below a failed one have none */
  readonly error: string | undefined;
  /** length of the code that a creation left; 0 elsewhere */
  readonly codeLength: number;
  /** `0x…`, of a CREATE2 */
  readonly initCode: string | undefined;
}

/** Frames of a transaction's trace, and whose it is as far as the tracer says. */
export interface TransactionTrace {
  readonly transactionHash: string | undefined;
  readonly frames: TraceFrame[];
}

export const ZERO_ADDRESS: Address = "0".repeat(40);

/** The EVM nests 1024 calls; what is deeper is no trace. */
export const MAX_DEPTH = 1025;

const TYPES = new Set<string>(["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CREATE", "CREATE2", "SELFDESTRUCT"]);

/** Tracers know more than the Data API lists; what is not listed in any case need not have an address. */
export function frameType(name: string): FrameType {
  return TYPES.has(name) ? (name as FrameType) : "OTHER";
}

export function isCreation(frame: { readonly type: FrameType }): boolean {
  return frame.type === "CREATE" || frame.type === "CREATE2";
}
