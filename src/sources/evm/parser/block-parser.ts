/**
 * The trust boundary between an upstream and Firn. A node's answer about one block becomes an `EvmBlock`, or is refused with the name of
 * the invalid field. It is also refused if it contradicts itself (receipts of another block, a missing trace). Pure.
 */

import { AnswerError, AnswerObject, listAnswer, MAX_UINT64 } from "./answer-object.ts";
import { authorizationsOf } from "./authorizations.ts";
import type { Address, CallFrame, EvmBlock, Hash } from "./block.ts";
import { parseCallTrace, parseCallTracer } from "./call-trace-reader.ts";
import { addressFailedCreations, lacksAddresses, type TracedTransaction } from "./failed-creations.ts";
import { addressSaltedCreations, type SaltedCreation } from "./salted-creations.ts";
import {
  isCreation,
  isTraceBlockForm,
  parseTraceBlock,
  ReadTraces,
  type TraceFrame,
  type TransactionTrace,
  ZERO_ADDRESS,
} from "./trace-block.ts";
import { TransactionParser, type TransactionWithoutFrames } from "./transaction.ts";

type Header = Omit<EvmBlock, "transactions" | "hasTraces" | "untraced">;

/** Detected by the field, not by the time. They were added with Apricot 3, Granite and Helicon. */
const HASH_FIELD = "extDataHash";
const EXTRA_FIELDS = [
  HASH_FIELD,
  "extDataGasUsed",
  "targetExponent",
  "minPriceExponent",
  "settledHeight",
  "settledGasUnix",
  "settledGasNumerator",
  "settledExcess",
];

/** Parses the header of a block, including the fields of Avalanche's chains (chain-formats 9.2). */
function parseHeader(block: AnswerObject): Header {
  return {
    height: block.uint64("number"),
    hash: block.hash("hash"),
    parentHash: block.hash("parentHash"),
    timestamp: block.uint64("timestamp"),
    timestampMilliseconds: block.optionalUint64("timestampMilliseconds"),
    minDelayExcess: block.optionalUint64("minDelayExcess"),
    gasLimit: block.optionalUint64("gasLimit") ?? 0n,
    baseFee: block.optionalQuantity("baseFeePerGas"),
    gasCost: block.optionalQuantity("blockGasCost") ?? 0n,
    // chains without miners omit it
    miner: block.optionalAddress("miner") ?? ZERO_ADDRESS,
    extraFields: Object.fromEntries(EXTRA_FIELDS.filter((name) => block.has(name)).map((name) => [name, extraField(block, name)])),
    extraData: block.has("blockExtraData") ? block.bytes("blockExtraData") : Buffer.alloc(0),
  };
}

/** In one spelling, whatever the node's is. */
function extraField(block: AnswerObject, name: string): string {
  return name === HASH_FIELD ? `0x${block.hash(name)}` : `0x${block.quantity(name).toString(16)}`;
}

export interface BlockAnswers {
  /** answer of `eth_getBlockByNumber` with whole transactions */
  readonly block: unknown;
  /** answer of `eth_getBlockReceipts`, or the single receipts in order */
  readonly receipts: unknown;
  /**
   * answer of `debug_traceBlockByNumber` with callTracer or of `trace_block`, or ReadTraces of either; undefined: the upstream has no
   * traces
   */
  readonly traces: unknown | undefined;
}

/**
 * Nonces before the block, of contracts and of accounts with a contract's code. The addresses of their failed creations are derived from
 * them.
 */
export type CreatorNonces = ReadonlyMap<Address, bigint>;

/** The CREATE2s that were begun in each transaction, with their salts. */
export type TransactionSalts = ReadonlyMap<Hash, readonly SaltedCreation[]>;

export interface OpenedBlock {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /**
   * Contracts and accounts whose nonce before this block (`eth_getTransactionCount` at its parent) is needed for the address of a failed
   * creation. Nearly always empty.
   */
  readonly creators: readonly Address[];
  /** Transactions with a failed CREATE2. Its address needs the salt, which `SALT_TRACER` finds. */
  readonly salted: readonly Hash[];
  /** A failed creation whose address cannot be derived gets the zero address. */
  block(creators?: CreatorNonces, salts?: TransactionSalts): EvmBlock;
}

export function parseBlock(answers: BlockAnswers, creators?: CreatorNonces): EvmBlock {
  return openBlock(answers).block(creators);
}

export function openBlock({ block: blockAnswer, receipts: receiptAnswers, traces: traceAnswers }: BlockAnswers): OpenedBlock {
  const answer = new AnswerObject(blockAnswer, "block");
  const header = parseHeader(answer);
  const where = `block ${header.height}`;
  const transactions = parseTransactions(answer, listAnswer(receiptAnswers, `${where}: receipts`), header.hash, where);
  const fees = executedFees(header, transactions, { isExecutedFirst: answer.has("withdrawalsRoot") });
  const hasTraces = traceAnswers !== undefined;
  const traces = hasTraces ? parseTraces(traceAnswers, transactions, where) : undefined;
  const untraced = untracedOf(traces ?? []);
  const frames = transactions.map((_, index) => (untraced.has(index) ? [] : (traces?.[index]?.frames ?? [])));
  const isIncomplete = lacksAddresses(frames.map((each) => ({ frames: each })));
  const traced = transactions.map((transaction, index): TracedTransaction => {
    const raw = () => new AnswerObject(answer.list("transactions")[index], `${where}: transactions[${index}]`);
    return { transaction, frames: frames[index]!, authorizations: isIncomplete ? authorizationsOf(raw()) : [] };
  });
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
        ...fees,
        hasTraces,
        untraced: [...untraced],
        transactions: traced.map(({ transaction, frames }) => ({ ...transaction, frames: framesBelow(frames, transaction) })),
      };
    },
  };
}

/**
 * Indexes of transactions without a trace. After the first of them, nonces of contracts are unknown, so transactions with a failed creation
 * count too.
 */
function untracedOf(traces: readonly (TransactionTrace | undefined)[]): ReadonlySet<number> {
  const first = traces.indexOf(undefined);
  if (first === -1) return new Set();
  const waits = (trace: TransactionTrace | undefined, index: number) =>
    trace === undefined || (index > first && trace.frames.some((frame, at) => at > 0 && isCreation(frame) && frame.to === undefined));
  return new Set(traces.flatMap((trace, index) => (waits(trace, index) ? [index] : [])));
}

/** Parses the trace of one transaction: an answer of `debug_traceTransaction` with callTracer, or of `trace_transaction`. */
export function parseTransactionTrace(answer: unknown, hash: Hash): TransactionTrace {
  const where = `the trace of 0x${hash}`;
  const [trace, ...others] =
    answer instanceof ReadTraces
      ? answer.transactions
      : Array.isArray(answer)
        ? parseTraceBlock(answer, where)
        : [parseCallTrace(answer, where)];
  if (trace === undefined || others.length > 0) throw new AnswerError(`${where} is not of one transaction`);
  return trace;
}

function lacksSalt({ type, to, depth }: TraceFrame): boolean {
  return type === "CREATE2" && to === undefined && depth > 0;
}

function parseTransactions(block: AnswerObject, receipts: readonly unknown[], hash: string, where: string): TransactionWithoutFrames[] {
  const transactions = block.list("transactions").map((each, index) => new AnswerObject(each, `${where}: transactions[${index}]`));
  const own = receipts.length > transactions.length ? receiptsOf(transactions, receipts, where) : receipts;
  if (own.length !== transactions.length) {
    throw new AnswerError(`${where} has ${receipts.length} receipts; it must have ${transactions.length}, one per transaction`);
  }
  const parser = new TransactionParser(hash);
  const parsed = transactions.map((transaction, index) =>
    parser.parse(transaction, new AnswerObject(own[index], `${where}: receipts[${index}]`), index),
  );
  const gasUsed = parsed.reduce((sum, transaction) => sum + transaction.gasUsed, 0n);
  if (gasUsed > MAX_UINT64) throw new AnswerError(`${where}: the gasUsed of all receipts comes to ${gasUsed}; it must be below 2^64`);
  return parsed;
}

/** Drops receipts of system calls, which some nodes return though the block does not list them. */
function receiptsOf(transactions: readonly AnswerObject[], receipts: readonly unknown[], where: string): unknown[] {
  const hashes = new Set(transactions.map((transaction) => transaction.hash("hash")));
  return receipts.filter((receipt, index) => hashes.has(new AnswerObject(receipt, `${where}: receipts[${index}]`).hash("transactionHash")));
}

function parseTraces(
  answer: unknown,
  transactions: readonly TransactionWithoutFrames[],
  where: string,
): readonly (TransactionTrace | undefined)[] {
  const all = tracesIn(answer, where);
  const hashes = new Set<string | undefined>(transactions.map(({ hash }) => hash));
  const traces = all.length > transactions.length ? all.filter((trace) => hashes.has(trace?.transactionHash)) : all;
  if (traces.length !== transactions.length) {
    throw new AnswerError(`${where} has traces of ${all.length} transactions; it must have ${transactions.length}, one per transaction`);
  }
  for (const [index, trace] of traces.entries())
    if (trace !== undefined) requireTraceOf(transactions[index]!, trace, `${where}: traces[${index}]`);
  return traces;
}

function tracesIn(answer: unknown, where: string): readonly (TransactionTrace | undefined)[] {
  if (answer instanceof ReadTraces) return answer.transactions;
  const list = listAnswer(answer, `${where}: traces`);
  return isTraceBlockForm(list) ? parseTraceBlock(list, where) : parseCallTracer(list, where);
}

function requireTraceOf({ hash, from }: TransactionWithoutFrames, { transactionHash, frames }: TransactionTrace, where: string): void {
  if (transactionHash !== undefined && transactionHash !== hash)
    throw new AnswerError(`${where} is of 0x${transactionHash}; it must be of 0x${hash}`);
  if (frames[0]!.from !== from) throw new AnswerError(`${where} is of a call from 0x${frames[0]!.from}; it must be from 0x${from}`);
}

/** Returns the frames below the transaction's own. A failed frame reverts everything below it. */
function framesBelow(frames: readonly TraceFrame[], { isSuccess }: TransactionWithoutFrames): CallFrame[] {
  let failedDepth = isSuccess ? Number.POSITIVE_INFINITY : 0;
  return frames.slice(1).map(({ type, depth, from, to, value, gasLimit, gasUsed, error, codeLength }) => {
    if (depth <= failedDepth) failedDepth = error === undefined ? Number.POSITIVE_INFINITY : depth;
    return { type, depth, from, to: to ?? ZERO_ADDRESS, value, gasLimit, gasUsed, isReverted: depth >= failedDepth, codeLength };
  });
}

// The base fee with which a block was executed. Since Helicon the C-chain's header has only a bound of it, because a block is accepted before
// it is executed. The prices that transactions paid mostly tell it: `min(most that it would pay, base fee + tip)`.

type Fees = Pick<Header, "baseFee" | "extraFields">;

/**
 * The header's own base fee moves to the extra fields where the block's is known.
 * @param transactions of the block
 * @param isExecutedFirst the header is Ethereum's, of a development network, whose blocks are executed before they are accepted
 */
export function executedFees(
  { baseFee, extraFields }: Fees,
  transactions: readonly TransactionWithoutFrames[],
  { isExecutedFirst = false }: { readonly isExecutedFirst?: boolean } = {},
): Fees {
  const isBound = baseFee !== undefined && extraFields.settledHeight !== undefined;
  const executed = !isBound ? undefined : isExecutedFirst ? baseFee : executedBaseFee(baseFee, transactions);
  if (executed === undefined) return { baseFee, extraFields };
  return { baseFee: executed, extraFields: { ...extraFields, baseFeePerGas: `0x${baseFee!.toString(16)}` } };
}

/** undefined: the prices leave more than one possible, or none */
function executedBaseFee(bound: bigint, transactions: readonly TransactionWithoutFrames[]): bigint | undefined {
  let [least, most] = [0n, bound];
  for (const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } of transactions) {
    // without a dynamic fee, all that is offered beyond the base fee is a tip
    const { highest, tip } =
      maxFeePerGas === undefined || maxPriorityFeePerGas === undefined
        ? { highest: gasPrice, tip: gasPrice }
        : { highest: maxFeePerGas, tip: maxPriorityFeePerGas };
    const withWholeTip = gasPrice - tip;
    if (withWholeTip > least) least = withWholeTip;
    const own = gasPrice < highest ? withWholeTip : gasPrice;
    if (own < most) most = own;
  }
  return transactions.length > 0 && least === most ? least : undefined;
}
