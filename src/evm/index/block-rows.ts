/** Rows that belong to one block alone: the block, its transactions with their transfers and internal transactions, and lists of them. */

import type { EvmBlock } from "../../sources/evm/parser/block.ts";
import type { EvmFacts, TransactionFacts } from "../facts.ts";
import { receiverOf, writeAddressRows } from "./address-rows.ts";
import type { BlockWriter } from "./block-writer.ts";
import { writeLogs } from "./list-rows.ts";
import { hashPrefix, internalParts, transferParts } from "./read-parts.ts";
import {
  evmBlockHashes,
  evmBlocks,
  evmDeployments,
  evmInputs,
  evmInternals,
  evmTransactionHashes,
  evmTransactions,
  evmTransactionsByStatus,
  evmTransfers,
  evmUntraced,
  SHORT_INPUT_BYTES,
} from "./tables.ts";

const SELECTOR_BYTES = 4;
/** @param cumulativeTransactions of the chain, including this block's */
export function writeBlockRows(
  writer: BlockWriter,
  chain: number,
  { block, transactions }: EvmFacts,
  cumulativeTransactions: bigint,
): void {
  const { height } = block;
  let gasUsed = 0n;
  let feesSpent = 0n;
  for (const facts of transactions) {
    const { transaction } = facts;
    gasUsed += transaction.gasUsed;
    feesSpent += transaction.gasUsed * transaction.gasPrice;
    writeTransaction(writer, { chain, height, index: transaction.index }, facts);
  }
  writeAddressRows(writer, { chain, height }, transactions);
  for (const isSuccess of [true, false]) {
    const indexes = transactions.flatMap(({ transaction }) => (transaction.isSuccess === isSuccess ? [transaction.index] : []));
    if (indexes.length > 0) writer.add(evmTransactionsByStatus, { chain, isSuccess, height }, { indexes });
  }
  writeBlock(writer, chain, block, { gasUsed, feesSpent, cumulativeTransactions });
  for (const index of block.untraced) writer.add(evmUntraced, { chain, height, index }, {});
}

interface BlockSums {
  readonly gasUsed: bigint;
  readonly feesSpent: bigint;
  readonly cumulativeTransactions: bigint;
}

function writeBlock(writer: BlockWriter, chain: number, block: EvmBlock, sums: BlockSums): void {
  const { height, hash, parentHash, timestamp, timestampMilliseconds, minDelayExcess, gasLimit, baseFee, gasCost, miner } = block;
  writer.add(
    evmBlocks,
    { chain, height },
    {
      hash,
      parentHash,
      timestamp,
      timestampMilliseconds,
      minDelayExcess,
      gasLimit,
      baseFee,
      gasCost,
      ...sums,
      txCount: block.transactions.length,
      miner,
      extraFields: JSON.stringify(block.extraFields),
      extraData: block.extraData,
    },
  );
  writer.add(evmBlockHashes, { chain, hash }, { height });
}

/** The position of a transaction, with which the keys of its rows begin. */
export interface RowPlace {
  readonly chain: number;
  readonly height: bigint;
  readonly index: number;
}

function writeTransaction(writer: BlockWriter, place: RowPlace, facts: TransactionFacts): void {
  const { transaction, transfers, internals } = facts;
  const { chain, height, index } = place;
  const { hash, type, from, isSuccess, nonce, value, gasLimit, gasUsed, gasPrice, maxFeePerGas, maxPriorityFeePerGas, input } = transaction;
  const isLong = input.length > SHORT_INPUT_BYTES;
  const to = receiverOf(facts);
  const [transferPart, ...moreTransfers] = transferParts(transfers, { from, to });
  const [internalPart, ...moreInternals] = internalParts(internals, { from, to });
  writer.add(evmTransactions, place, {
    hash,
    type,
    from,
    to,
    isCreation: transaction.to === undefined,
    isSuccess,
    nonce,
    value,
    gasLimit,
    gasUsed,
    gasPrice,
    maxFeePerGas,
    maxPriorityFeePerGas,
    input: isLong ? input.subarray(0, SELECTOR_BYTES) : input,
    inputLength: input.length,
    transfers: transfers.length,
    internals: internals.length,
    transferPart: transferPart!,
    internalPart: internalPart!,
  });
  if (isLong) writer.add(evmInputs, place, { input });
  writer.add(evmTransactionHashes, { chain, prefix: hashPrefix(hash), height, index }, {});
  for (const [i, more] of moreTransfers.entries()) writer.add(evmTransfers, { ...place, part: i + 1 }, { transfers: more });
  writeMoreInternals(writer, place, moreInternals);
  writeLogs(writer, place, transaction.logs);
  writeDeployments(writer, place, facts);
}

export function writeMoreInternals(writer: BlockWriter, place: RowPlace, parts: readonly Uint8Array[]): void {
  for (const [i, internals] of parts.entries()) writer.add(evmInternals, { ...place, part: i + 1 }, { internals });
}

export function writeDeployments(writer: BlockWriter, { chain, height, index }: RowPlace, { deployments }: TransactionFacts): void {
  for (const [position, { contract, deployer, factory }] of deployments.entries()) {
    writer.add(evmDeployments, { chain, deployer, height, index, position }, { contract });
    if (factory !== undefined && factory !== deployer) {
      writer.add(evmDeployments, { chain, deployer: factory, height, index, position }, { contract });
    }
  }
}
