/** A block whose answers were read on another thread. */
import type { RpcCall } from "../upstream/upstream-rpc.ts";
import type { EvmBlock, Hash } from "./parser/block.ts";
import { type BlockAnswers, openBlock } from "./parser/block-parser.ts";
import { CallTraceReader } from "./parser/call-trace-reader.ts";
import { FlatTraceReader } from "./parser/flat-trace-reader.ts";
import type { UnprovenContent } from "./unproven-content.ts";

/** The calls for call traces of a block and of one transaction, in the forms that nodes support. */
export type Tracer = "debug_traceBlockByNumber" | "trace_block";

const CALL_TRACER = { tracer: "callTracer" };

export function blockTraceCall(tracer: Tracer, height: bigint): RpcCall {
  const block = `0x${height.toString(16)}`;
  return tracer === "trace_block"
    ? { method: tracer, params: [block], reader: () => new FlatTraceReader() }
    : { method: tracer, params: [block, CALL_TRACER], reader: () => new CallTraceReader("block") };
}

export function transactionTraceCall(tracer: Tracer, hash: Hash): RpcCall {
  const transaction = `0x${hash}`;
  return tracer === "trace_block"
    ? { method: "trace_transaction", params: [transaction], reader: () => new FlatTraceReader() }
    : { method: "debug_traceTransaction", params: [transaction, CALL_TRACER], reader: () => new CallTraceReader("transaction") };
}

export interface ReadBlockFacts {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** number of transactions */
  readonly transactions: number;
  /** approximate memory that it holds */
  readonly bytes: number;
  /** if it was asked for */
  readonly unproven?: UnprovenContent | undefined;
}

/** The answers were checked as for any block. */
export abstract class ReadBlock {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly transactions: number;
  readonly bytes: number;
  readonly unproven: UnprovenContent | undefined;

  constructor({ height, hash, parentHash, transactions, bytes, unproven }: ReadBlockFacts) {
    this.height = height;
    this.hash = hash;
    this.parentHash = parentHash;
    this.transactions = transactions;
    this.bytes = bytes;
    this.unproven = unproven;
  }

  /** Reads the answers again, here. */
  abstract answers(): BlockAnswers;
}

/** A block as it comes from a source. */
export type ReceivedBlock = EvmBlock | ReadBlock;

export function wholeBlock(block: ReceivedBlock): EvmBlock {
  return block instanceof ReadBlock ? openBlock(block.answers()).block() : block;
}

export function transactionCount({ transactions }: ReceivedBlock): number {
  return typeof transactions === "number" ? transactions : transactions.length;
}

/** The answers to the calls of a run, in one message: all blocks, then all receipts, then all traces. */
export interface RunAnswers {
  readonly from: bigint;
  /** number of blocks */
  readonly count: number;
  readonly tracer: Tracer | undefined;
  /** ID of the first reply; each of the others has the next number */
  readonly firstId: number;
  /** JSON in shared memory */
  readonly body: Uint8Array;
  /** whether each block must have the hash of a header that is known here */
  readonly isProofRequired: boolean;
  /** whether the content that headers do not prove is compared with that of other nodes */
  readonly isCompared: boolean;
}

/**
 * Reads answers on another thread. Returns the blocks, each the child of the one before; undefined if some answer is missing, an error or not
 * valid, or something has to be asked for a block: they are then read here. Never rejects.
 */
export type ReadRun = (answers: RunAnswers) => Promise<readonly ReadBlock[] | undefined>;
