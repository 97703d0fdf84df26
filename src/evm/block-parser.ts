/**
 * The border between an upstream and Firn: what a node answered about one block becomes an `EvmBlock`, or is refused with the name of the
 * field that cannot be. Pure. What contradicts itself (receipts of another block, a missing trace) is refused as well.
 */
import type { Address, CallFrame, EvmBlock, Hash } from "./block.ts";
import { AnswerError, AnswerObject, listOf } from "./block-parser/answer-object.ts";
import { parseCallTracer } from "./block-parser/call-tracer.ts";
import { addressFailedCreations, lacksAddresses, type TracedTransaction } from "./block-parser/failed-creations.ts";
import { parseHeader } from "./block-parser/header.ts";
import { addressSaltedCreations, type SaltedCreation } from "./block-parser/salted-creations.ts";
import { isTraceBlockForm, parseTraceBlock } from "./block-parser/trace-block.ts";
import { type TraceFrame, type TransactionTrace, ZERO_ADDRESS } from "./block-parser/trace-frame.ts";
import { TransactionParser, type TransactionWithoutFrames } from "./block-parser/transaction.ts";

export interface BlockAnswers {
  /** of `eth_getBlockByNumber` with whole transactions */
  readonly block: unknown;
  /** of `eth_getBlockReceipts`, or the receipts one by one in order */
  readonly receipts: unknown;
  /** of `debug_traceBlockByNumber` with callTracer, or of `trace_block`; undefined: the upstream has none */
  readonly traces: unknown | undefined;
}

/** Nonces of contracts before the block: failed creations by contracts get their addresses from them. */
export type CreatorNonces = ReadonlyMap<Address, bigint>;

/** By transaction: creations with a salt that were begun in it. */
export type TransactionSalts = ReadonlyMap<Hash, readonly SaltedCreation[]>;

export interface OpenedBlock {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** Contracts whose nonce before this block (`eth_getTransactionCount` at its parent) tells the address of a failed creation; nearly always none. */
  readonly creators: readonly Address[];
  /** Transactions in which a CREATE2 failed: its salt, which `SALT_TRACER` finds, tells its address. */
  readonly salted: readonly Hash[];
  /** What is not told of a failed creation makes its address the zero address. */
  block(creators?: CreatorNonces, salts?: TransactionSalts): EvmBlock;
}

export function parseBlock(answers: BlockAnswers, creators?: CreatorNonces): EvmBlock {
  return openBlock(answers).block(creators);
}

export function openBlock({ block: blockAnswer, receipts: receiptAnswers, traces: traceAnswers }: BlockAnswers): OpenedBlock {
  const answer = new AnswerObject(blockAnswer, "block");
  const header = parseHeader(answer);
  const where = `block ${header.height}`;
  const transactions = parseTransactions(answer, listOf(receiptAnswers, `${where}: receipts`), header.hash, where);
  const hasTraces = traceAnswers !== undefined;
  const traces = hasTraces ? parseTraces(listOf(traceAnswers, `${where}: traces`), transactions, where) : undefined;
  const traced = transactions.map((transaction, index): TracedTransaction => ({ transaction, frames: traces?.[index]?.frames ?? [] }));
  const isIncomplete = lacksAddresses(traced);
  const creators = isIncomplete ? addressFailedCreations(traced, new Map()) : [];
  return {
    height: header.height,
    hash: header.hash,
    parentHash: header.parentHash,
    creators,
    salted: isIncomplete ? traced.filter(({ frames }) => frames.some(lacksSalt)).map(({ transaction }) => transaction.hash) : [],
    block(nonces, salts) {
      if (creators.length > 0 && nonces !== undefined) addressFailedCreations(traced, nonces);
      if (salts !== undefined)
        for (const { transaction, frames } of traced) addressSaltedCreations(frames, salts.get(transaction.hash) ?? []);
      return {
        ...header,
        hasTraces,
        transactions: traced.map(({ transaction, frames }) => ({ ...transaction, frames: framesBelow(frames, transaction) })),
      };
    },
  };
}

function lacksSalt({ type, to, depth }: TraceFrame): boolean {
  return type === "CREATE2" && to === undefined && depth > 0;
}

function parseTransactions(block: AnswerObject, receipts: readonly unknown[], hash: string, where: string): TransactionWithoutFrames[] {
  const transactions = block.list("transactions");
  if (receipts.length !== transactions.length) {
    throw new AnswerError(`${where} has ${receipts.length} receipts; it must have ${transactions.length}, one per transaction`);
  }
  const parser = new TransactionParser(hash);
  return transactions.map((transaction, index) =>
    parser.parse(
      new AnswerObject(transaction, `${where}: transactions[${index}]`),
      new AnswerObject(receipts[index], `${where}: receipts[${index}]`),
      index,
    ),
  );
}

function parseTraces(answers: readonly unknown[], transactions: readonly TransactionWithoutFrames[], where: string): TransactionTrace[] {
  const traces = isTraceBlockForm(answers) ? parseTraceBlock(answers, where) : parseCallTracer(answers, where);
  if (traces.length !== transactions.length) {
    throw new AnswerError(`${where} has traces of ${traces.length} transactions; it must have ${transactions.length}, one per transaction`);
  }
  for (const [index, { transactionHash, frames }] of traces.entries()) {
    const { hash, from } = transactions[index]!;
    if (transactionHash !== undefined && transactionHash !== hash)
      throw new AnswerError(`${where}: traces[${index}] is of 0x${transactionHash}; it must be of 0x${hash}`);
    if (frames[0]!.from !== from)
      throw new AnswerError(`${where}: traces[${index}] is of a call from 0x${frames[0]!.from}; it must be from 0x${from}`);
  }
  return traces;
}

/** Frames without the transaction's own; what failed voids all below it. */
function framesBelow(frames: readonly TraceFrame[], { isSuccess }: TransactionWithoutFrames): CallFrame[] {
  let failedDepth = isSuccess ? Number.POSITIVE_INFINITY : 0;
  return frames.slice(1).map(({ type, depth, from, to, value, gasLimit, gasUsed, error, codeLength }) => {
    if (depth <= failedDepth) failedDepth = error === undefined ? Number.POSITIVE_INFINITY : depth;
    return { type, depth, from, to: to ?? ZERO_ADDRESS, value, gasLimit, gasUsed, isReverted: depth >= failedDepth, codeLength };
  });
}
