/** Rows that belong to one block alone: the block, its transactions, transfers and internal transactions, and their list entries. */

import type { TableValue } from "../../primitives/table.ts";
import type { Address, EvmBlock } from "../block.ts";
import type { EvmFacts, Internal, TransactionFacts, Transfer } from "../facts.ts";
import type { BlockWriter } from "./block-writer.ts";
import { writeLogs } from "./log-rows.ts";
import {
  evmAddressInternals,
  evmAddressTransactions,
  evmAddressTransfers,
  evmBlockHashes,
  evmBlocks,
  evmDeployments,
  evmInputs,
  evmInternals,
  evmTokenTransfers,
  evmTransactionHashes,
  evmTransactions,
  evmTransactionsByStatus,
  evmTransfers,
  evmUntraced,
  INTERNAL_TYPES,
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
interface Place {
  readonly chain: number;
  readonly height: bigint;
  readonly index: number;
}

function writeTransaction(writer: BlockWriter, place: Place, facts: TransactionFacts): void {
  const { transaction, transfers, internals } = facts;
  const { chain, height, index } = place;
  const { hash, type, from, isSuccess, nonce, value, gasLimit, gasUsed, gasPrice, maxFeePerGas, maxPriorityFeePerGas, input } = transaction;
  const isLong = input.length > SHORT_INPUT_BYTES;
  const isCreation = transaction.to === undefined;
  const to = transaction.to ?? transaction.created!;
  writer.add(evmTransactions, place, {
    hash,
    type,
    from,
    to,
    isCreation,
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
  });
  if (isLong) writer.add(evmInputs, place, { input });
  writer.add(evmTransactionHashes, { chain, hash }, { height, index });
  writer.add(evmTransactionsByStatus, { chain, isSuccess, height, index }, {});
  writeLogs(writer, place, transaction.logs);
  for (const transfer of transfers) writeTransfer(writer, place, transfer);
  writeTraced(writer, place, facts, new Set([from, to]));
}

/** Adds the content of a call trace to a transaction that was indexed without it. @param row its current row */
export function fillTransaction(writer: BlockWriter, place: Place, facts: TransactionFacts, row: TableValue<typeof evmTransactions>): void {
  writer.add(evmTransactions, place, { ...row, internals: facts.internals.length });
  writeTraced(writer, place, { ...facts, transfers: [] }, new Set([row.from, row.to]));
  writer.remove(evmUntraced, place);
}

/** Writes the rows that follow from a call trace. @param native the transaction's sender and receiver */
function writeTraced(writer: BlockWriter, place: Place, facts: TransactionFacts, native: ReadonlySet<Address>): void {
  for (const [position, internal] of facts.internals.entries()) writeInternal(writer, place, position, internal);
  writeParties(writer, place, facts, native);
  writeDeployments(writer, place, facts);
}

function writeTransfer(writer: BlockWriter, { chain, height, index }: Place, transfer: Transfer): void {
  const { kind, token, from, to, tokenId, value, logIndex, batchIndex } = transfer;
  writer.add(evmTransfers, { chain, height, index, logIndex, batchIndex }, { kind, token, from, to, tokenId, value });
  writer.add(evmTokenTransfers, { chain, token, height, index, logIndex, batchIndex }, {});
  writer.add(evmAddressTransfers, { chain, address: from, kind, height, index, logIndex, batchIndex }, {});
  if (to !== from) writer.add(evmAddressTransfers, { chain, address: to, kind, height, index, logIndex, batchIndex }, {});
}

function writeInternal(writer: BlockWriter, { chain, height, index }: Place, position: number, internal: Internal): void {
  const { from, to, value, isReverted, gasLimit, gasUsed } = internal;
  const type = INTERNAL_TYPES.indexOf(internal.type);
  writer.add(evmInternals, { chain, height, index, position }, { type, from, to, value, isReverted, gasLimit, gasUsed });
  writer.add(evmAddressInternals, { chain, address: from, height, index, position }, {});
  if (to !== from) writer.add(evmAddressInternals, { chain, address: to, height, index, position }, {});
}

function writeParties(writer: BlockWriter, { chain, height, index }: Place, facts: TransactionFacts, native: ReadonlySet<Address>): void {
  for (const address of native) writer.add(evmAddressTransactions, { chain, address, isNative: true, height, index }, {});
  if (facts.transfers.length === 0 && facts.internals.length === 0) return;
  const others = new Set<Address>();
  for (const { from, to } of facts.transfers) others.add(from).add(to);
  for (const { from, to } of facts.internals) others.add(from).add(to);
  for (const address of others) {
    if (!native.has(address)) writer.add(evmAddressTransactions, { chain, address, isNative: false, height, index }, {});
  }
}

function writeDeployments(writer: BlockWriter, { chain, height, index }: Place, { deployments }: TransactionFacts): void {
  for (const [position, { contract, deployer, factory }] of deployments.entries()) {
    writer.add(evmDeployments, { chain, deployer, height, index, position }, { contract });
    if (factory !== undefined && factory !== deployer) {
      writer.add(evmDeployments, { chain, deployer: factory, height, index, position }, { contract });
    }
  }
}
