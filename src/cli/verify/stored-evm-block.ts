/**
 * Restores the facts that an EVM chain's block was indexed from, as far as the index keeps them: without call frames, and what is
 * derived from those or from logs.
 */

import { FirnError } from "../../base/errors/errors.ts";
import type { Row, Table, TableKey } from "../../base/table/table.ts";
import type { EvmFacts, TransactionFacts } from "../../evm/facts.ts";
import { restoreLogs } from "../../evm/index/list-rows.ts";
import { evmLogData, evmLogs } from "../../evm/index/log-tables.ts";
import { allParts, type PartOfRow, readInternalParts, readTransferParts } from "../../evm/index/read-parts.ts";
import { type evmBlocks, evmInputs, evmTransactions, evmUntraced } from "../../evm/index/tables.ts";
import type { EvmBlock, EvmLog, EvmTransaction } from "../../sources/evm/parser/block.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";

/** Throws an error that says what is wrong with the rows. */
export async function storedEvmBlock(reader: StoreReader, { key: place, value: row }: Row<typeof evmBlocks>): Promise<EvmFacts> {
  const { chain, height } = place;
  const [transactions, inputs, logs, logData, untraced] = await Promise.all([
    rowsOf(reader, evmTransactions, place),
    rowsOf(reader, evmInputs, place),
    rowsOf(reader, evmLogs, place),
    rowsOf(reader, evmLogData, place),
    rowsOf(reader, evmUntraced, place),
  ]);
  if (transactions.length !== row.txCount) throw fault(`has ${transactions.length} transactions of ${row.txCount}`);
  const inputOf = new Map(inputs.map(({ key, value }) => [key.index, value.input]));
  const logsOf = groupedByIndex(logs);
  const logDataOf = groupedByIndex(logData);
  const partsOf = (count: "transfers" | "internals") => transactions.flatMap(({ key, value }) => allParts(key, value, value[count]));
  const [transfers, internals] = await Promise.all([
    itemsOf(partsOf("transfers"), (parts) => readTransferParts(reader, chain, parts)),
    itemsOf(partsOf("internals"), (parts) => readInternalParts(reader, chain, parts)),
  ]);
  const facts = transactions.map(({ key: { index }, value }, position): TransactionFacts => {
    if (index !== position) throw fault(`lacks transaction ${position}`);
    const input = inputOf.get(index) ?? value.input;
    const found = { transfers: transfers.get(index) ?? [], internals: internals.get(index) ?? [] };
    if (input.length !== value.inputLength) throw fault(`lacks a part of the input of transaction ${index}`);
    if (found.transfers.length !== value.transfers)
      throw fault(`has ${found.transfers.length} transfers of ${value.transfers} of transaction ${index}`);
    if (found.internals.length !== value.internals) {
      throw fault(`has ${found.internals.length} internal transactions of ${value.internals} of transaction ${index}`);
    }
    return {
      transaction: { ...transactionOf(index, value, input), logs: restored(logsOf.get(index), logDataOf.get(index)) },
      ...found,
      deployments: [],
      destroyed: [],
      balanceChanges: [],
    };
  });
  const block: EvmBlock = {
    ...row,
    height,
    extraFields: JSON.parse(row.extraFields),
    transactions: facts.map(({ transaction }) => transaction),
    hasTraces: true,
    untraced: untraced.map(({ key }) => key.index),
  };
  return { block, transactions: facts, tokens: [], icm: [] };

  function fault(text: string): FirnError {
    return new FirnError("evm-rows", text, { chain, height });
  }
}

function restored(parts: readonly Row<typeof evmLogs>[] = [], data: readonly Row<typeof evmLogData>[] = []): EvmLog[] {
  const long = new Map(data.map(({ key, value }) => [key.logIndex, value.data]));
  return parts.flatMap((part) => restoreLogs(part, long));
}

async function rowsOf<T extends Table>(reader: StoreReader, table: T, prefix: Partial<TableKey<T>>): Promise<Row<T>[]> {
  const rows: Row<T>[] = [];
  for await (const row of scanAll(reader, table, prefix)) rows.push(row);
  return rows;
}

function groupedByIndex<R extends { readonly key: { readonly index: number } }>(rows: readonly R[]): Map<number, R[]> {
  const groups = new Map<number, R[]>();
  for (const row of rows) {
    const group = groups.get(row.key.index);
    if (group === undefined) groups.set(row.key.index, [row]);
    else group.push(row);
  }
  return groups;
}

function transactionOf(index: number, value: Row<typeof evmTransactions>["value"], input: Uint8Array): EvmTransaction {
  const { to, isCreation } = value;
  return { ...value, index, input, to: isCreation ? undefined : to, created: isCreation ? to : undefined, logs: [], frames: [] };
}

/** The items of parts by the index of their transaction. */
async function itemsOf<T>(parts: readonly PartOfRow[], read: (parts: readonly PartOfRow[]) => Promise<T[][]>): Promise<Map<number, T[]>> {
  const found = new Map<number, T[]>();
  for (const [i, items] of (await read(parts)).entries()) {
    const { index } = parts[i]!.place;
    const known = found.get(index);
    if (known === undefined) found.set(index, items);
    else for (const item of items) known.push(item);
  }
  return found;
}
