/** Reads the transfers and internal transactions of transactions, part by part. */
import type { TableValue } from "../../base/table/table.ts";
import type { Hash } from "../../sources/evm/parser/block.ts";
import type { StoreReader } from "../../store/store.ts";
import type { Internal, Transfer } from "../facts.ts";
import { hashPrefix } from "./block-rows.ts";
import { PART_ITEMS, readInternals, readTransfers } from "./parts.ts";
import { evmInternals, evmTransactionHashes, evmTransactions, evmTransfers } from "./tables.ts";

export type TransactionRow = TableValue<typeof evmTransactions>;

export interface TransactionPlace {
  readonly height: bigint;
  readonly index: number;
}

/** A part of a transaction whose row was read. */
export interface PartOfRow {
  readonly place: TransactionPlace;
  readonly row: TransactionRow;
  readonly part: number;
}

/** The transfers of each part. Costs one row for each that is not the first of its transaction. */
export async function readTransferParts(reader: StoreReader, chain: number, parts: readonly PartOfRow[]): Promise<Transfer[][]> {
  const more = await reader.getMany(evmTransfers, keysOf(chain, parts));
  let next = 0;
  return parts.map(({ row, part, place }) => {
    const bytes = part === 0 ? row.transferPart : more[next++]?.transfers;
    if (bytes === undefined) throw lacking(`transfers ${part * PART_ITEMS}…`, place);
    return readTransfers(bytes, row);
  });
}

/** As `readTransferParts`. */
export async function readInternalParts(reader: StoreReader, chain: number, parts: readonly PartOfRow[]): Promise<Internal[][]> {
  const more = await reader.getMany(evmInternals, keysOf(chain, parts));
  let next = 0;
  return parts.map(({ row, part, place }) => {
    const bytes = part === 0 ? row.internalPart : more[next++]?.internals;
    if (bytes === undefined) throw lacking(`internal transactions ${part * PART_ITEMS}…`, place);
    return readInternals(bytes, row);
  });
}

/** The parts of a transaction's transfers or internal transactions. @param items how many of them */
export function allParts(place: TransactionPlace, row: TransactionRow, items: number): PartOfRow[] {
  return Array.from({ length: Math.ceil(items / PART_ITEMS) }, (_, part) => ({ place, row, part }));
}

function keysOf(chain: number, parts: readonly PartOfRow[]) {
  return parts.flatMap(({ place: { height, index }, part }) => (part === 0 ? [] : [{ chain, height, index, part }]));
}

function lacking(what: string, { height, index }: TransactionPlace): Error {
  return new Error(`${what} of transaction ${index} of block ${height} have no row`);
}

/** Two hashes with the same prefix can be made on purpose, with about 2^32 trials. More than these would need 2^60. */
const MOST_SHARING = 16;

/** Where a transaction is; undefined if it is not indexed. Costs two rows. */
export async function findByHash(reader: StoreReader, chain: number, hash: Hash): Promise<TransactionPlace | undefined> {
  const found = await reader.scan(evmTransactionHashes, { prefix: { chain, prefix: hashPrefix(hash) }, limit: MOST_SHARING });
  const rows = await reader.getMany(
    evmTransactions,
    found.map(({ key: { height, index } }) => ({ chain, height, index })),
  );
  const at = rows.findIndex((row) => row?.hash === hash);
  if (at === -1) return undefined;
  const { height, index } = found[at]!.key;
  return { height, index };
}
