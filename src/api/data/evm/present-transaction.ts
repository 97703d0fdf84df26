/** Presents transactions and internal transactions of a page, and reads the rows that this needs. */

import type { TableValue } from "../../../base/table/table.ts";
import type { Internal } from "../../../evm/facts.ts";
import type { TransactionPlace, TransactionRow } from "../../../evm/index/read-parts.ts";
import { evmBlocks, evmInputs, evmTransactions } from "../../../evm/index/tables.ts";
import type { Address } from "../../../sources/evm/parser/block.ts";
import type { Position } from "../context.ts";
import { hasBaseFeeBound } from "./blocks/present-block.ts";
import type { EvmChain } from "./evm-chain.ts";
import { type EvmReading, Tokens } from "./present-token.ts";
import type { FullNativeTransaction, InternalTransactionDetails, Method, NativeTransaction } from "./transaction-schemas.ts";

export type { TransactionPlace, TransactionRow };
export type BlockRow = TableValue<typeof evmBlocks>;

/** A transaction with its block. */
export interface LoadedTransaction {
  readonly place: TransactionPlace;
  readonly row: TransactionRow;
  readonly block: BlockRow;
}

/**
 * Returns transactions in the order of the places, which come from a list of the index. Costs one row for each, and one for each of their
 * blocks.
 */
export async function readTransactions(places: readonly TransactionPlace[], reading: EvmReading): Promise<LoadedTransaction[]> {
  const { chain } = reading.evmChain;
  const rows = await reading.reader.getMany(
    evmTransactions,
    places.map(({ height, index }) => ({ chain, height, index })),
  );
  const found = places.map(({ height, index }, i) => {
    const row = rows[i];
    if (row === undefined) throw new Error(`transaction ${index} of block ${height} has no row`);
    return { place: { height, index }, row };
  });
  return withBlocks(found, reading);
}

/** Costs one row for each of their blocks. */
export async function withBlocks(
  transactions: readonly Omit<LoadedTransaction, "block">[],
  reading: EvmReading,
): Promise<LoadedTransaction[]> {
  const blocks = await readBlocks(
    transactions.map(({ place }) => place.height),
    reading,
  );
  return transactions.map((transaction) => ({ ...transaction, block: blocks.get(transaction.place.height)! }));
}

/** Reads the position of a page token. */
export function placeOf({ height, index }: Position): TransactionPlace {
  return { height: BigInt(height!), index: Number(index) };
}

/** The addresses in transactions, for `Tokens.read`. */
export function partiesOf(transactions: readonly { readonly row: { readonly from: Address; readonly to: Address } }[]): Address[] {
  return transactions.flatMap(({ row: { from, to } }) => [from, to]);
}

/** Also costs one row for each address. */
export async function presentTransactions(transactions: readonly LoadedTransaction[], reading: EvmReading): Promise<NativeTransaction[]> {
  const tokens = await Tokens.read({ addresses: partiesOf(transactions) }, reading);
  return transactions.map((transaction) => presentTransaction(transaction, tokens, reading.evmChain));
}

export function presentTransaction({ place, row, block }: LoadedTransaction, tokens: Tokens, evmChain: EvmChain): NativeTransaction {
  const { timestampMilliseconds, minDelayExcess } = block;
  return {
    blockNumber: `${place.height}`,
    blockTimestamp: Number(block.timestamp),
    ...(timestampMilliseconds !== undefined && { blockTimestampMilliseconds: Number(timestampMilliseconds) }),
    ...(minDelayExcess !== undefined && { blockMinDelayExcess: Number(minDelayExcess) }),
    blockHash: `0x${block.hash}`,
    chainId: `${evmChain.evmChainId}`,
    blockIndex: place.index,
    txHash: `0x${row.hash}`,
    txStatus: row.isSuccess ? "1" : "0",
    txType: row.type,
    gasLimit: `${row.gasLimit}`,
    gasUsed: `${row.gasUsed}`,
    gasPrice: `${row.gasPrice}`,
    nonce: `${row.nonce}`,
    from: tokens.address(row.from),
    to: tokens.address(row.to),
    method: methodOf(row, evmChain),
    value: `${row.value}`,
  };
}

const SELECTOR_BYTES = 4;

export function methodOf({ isCreation, inputLength, input, to }: TransactionRow, { labels }: EvmChain): Method {
  if (isCreation) return { callType: "CONTRACT_CREATION", methodHash: "", methodName: "Contract Created" };
  if (inputLength === 0) return { callType: "NATIVE_TRANSFER", methodHash: "", methodName: "Native Transfer" };
  const selector = Buffer.from(input.subarray(0, SELECTOR_BYTES)).toString("hex");
  const methodName = selector.length === 2 * SELECTOR_BYTES ? labels.methodName(selector, to) : undefined;
  return { callType: "CONTRACT_CALL", methodHash: `0x${selector}`, ...(methodName !== undefined && { methodName }) };
}

/** Costs one more row if the input is long. */
export async function presentFullTransaction(
  transaction: LoadedTransaction,
  tokens: Tokens,
  { reader, evmChain }: EvmReading,
): Promise<FullNativeTransaction> {
  const { place, row, block } = transaction;
  const { maxFeePerGas, maxPriorityFeePerGas } = row;
  const isWhole = row.input.length === row.inputLength;
  const input = isWhole ? row.input : (await reader.get(evmInputs, { chain: evmChain.chain, ...place }))?.input;
  if (input === undefined) throw new Error(`the input of transaction ${row.hash} has no row`);
  return {
    ...presentTransaction(transaction, tokens, evmChain),
    input: `0x${Buffer.from(input).toString("hex")}`,
    baseFeePerGas: `${block.baseFee ?? 0n}`,
    ...(hasBaseFeeBound(block) && { isBaseFeeBound: true as const }),
    ...(maxFeePerGas !== undefined && { maxFeePerGas: `${maxFeePerGas}` }),
    ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas: `${maxPriorityFeePerGas}` }),
  };
}

export function presentInternal(
  { type, from, to, value, isReverted, gasUsed, gasLimit }: Internal,
  tokens: Tokens,
): InternalTransactionDetails {
  return {
    from: tokens.address(from),
    to: tokens.address(to),
    internalTxType: type,
    value: `${value}`,
    isReverted,
    gasUsed: `${gasUsed}`,
    gasLimit: `${gasLimit}`,
  };
}

// Reads rows of blocks, each once.

/** Returns blocks by height; missing blocks are left out. */
async function readBlocks(
  heights: readonly bigint[],
  { reader, evmChain: { chain } }: EvmReading,
): Promise<ReadonlyMap<bigint, TableValue<typeof evmBlocks>>> {
  const wanted = [...new Set(heights)];
  const rows = await reader.getMany(
    evmBlocks,
    wanted.map((height) => ({ chain, height })),
  );
  return new Map(wanted.flatMap((height, i) => (rows[i] === undefined ? [] : [[height, rows[i]]])));
}
