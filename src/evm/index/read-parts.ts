/** Reads the transfers and internal transactions of transactions, part by part. */

import { Reader, Writer } from "../../base/codec/reader.ts";
import { integer256, readVarint, varint64, writeVarint } from "../../base/codec/varint.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { shortId, type TableValue } from "../../base/table/table.ts";
import type { Address, Hash } from "../../sources/evm/parser/block.ts";
import type { StoreReader } from "../../store/store.ts";
import { ZERO_ADDRESS } from "../decode/token-logs.ts";
import { type Internal, type InternalType, KINDS, type Transfer } from "../facts.ts";
import { evmInternals, evmTransactionHashes, evmTransactions, evmTransfers } from "./tables.ts";

// Transfers and internal transactions of a transaction as bytes, in parts of PART_ITEMS: the first part is in the transaction's row, and
// few transactions have more. Pure.

/** Most items of a part. Not part of the format of a part, but of what lists say. */
export const PART_ITEMS = 16;

/** Sender and receiver of a transaction, to which most of its parts refer. */
interface NativeParties {
  readonly from: Address;
  readonly to: Address;
}

/** In the order of their bits. */
export const INTERNAL_TYPES: readonly InternalType[] = ["CALL", "CALLCODE", "CREATE", "CREATE2"];
const REVERTED = 0x80;

const NO_BYTES = new Uint8Array();

/** The bytes of each part; one without bytes if there are no items. */
export function transferParts(transfers: readonly Transfer[], native: NativeParties): Uint8Array[] {
  return partsOf(transfers, native, (writer, addresses, { kind, token, from, to, tokenId, value, logIndex, batchIndex }) => {
    writer.u8(KINDS.indexOf(kind));
    addresses.write(writer, token);
    addresses.write(writer, from);
    addresses.write(writer, to);
    integer256.encode(writer, tokenId);
    integer256.encode(writer, value);
    writeVarint(writer, logIndex);
    writeVarint(writer, batchIndex);
  });
}

export function readTransfers(part: Uint8Array, native: NativeParties): Transfer[] {
  return itemsOf(part, native, (reader, addresses) => ({
    kind: known(KINDS, reader.u8()),
    token: addresses.read(reader),
    from: addresses.read(reader),
    to: addresses.read(reader),
    tokenId: integer256.decode(reader),
    value: integer256.decode(reader),
    logIndex: readVarint(reader),
    batchIndex: readVarint(reader),
  }));
}

/** As `transferParts`. */
export function internalParts(internals: readonly Internal[], native: NativeParties): Uint8Array[] {
  return partsOf(internals, native, (writer, addresses, { type, from, to, value, isReverted, gasLimit, gasUsed }) => {
    writer.u8(INTERNAL_TYPES.indexOf(type) | (isReverted ? REVERTED : 0));
    addresses.write(writer, from);
    addresses.write(writer, to);
    integer256.encode(writer, value);
    varint64.encode(writer, gasLimit);
    varint64.encode(writer, gasUsed);
  });
}

export function readInternals(part: Uint8Array, native: NativeParties): Internal[] {
  return itemsOf(part, native, (reader, addresses) => {
    const type = reader.u8();
    return {
      type: known(INTERNAL_TYPES, type & ~REVERTED),
      from: addresses.read(reader),
      to: addresses.read(reader),
      value: integer256.decode(reader),
      isReverted: (type & REVERTED) !== 0,
      gasLimit: varint64.decode(reader),
      gasUsed: varint64.decode(reader),
    };
  });
}

const writer = new Writer(4096);

function partsOf<T>(
  items: readonly T[],
  native: NativeParties,
  write: (writer: Writer, addresses: Addresses, item: T) => void,
): Uint8Array[] {
  if (items.length === 0) return [NO_BYTES];
  const parts: Uint8Array[] = [];
  for (let start = 0; start < items.length; start += PART_ITEMS) {
    writer.reset();
    const addresses = new Addresses(native);
    for (const item of items.slice(start, start + PART_ITEMS)) write(writer, addresses, item);
    parts.push(writer.finish());
  }
  return parts;
}

function itemsOf<T>(part: Uint8Array, native: NativeParties, read: (reader: Reader, addresses: Addresses) => T): T[] {
  const items: T[] = [];
  if (part.length === 0) return items;
  const reader = new Reader(part);
  const addresses = new Addresses(native);
  while (reader.left > 0) items.push(read(reader, addresses));
  return items;
}

/** An address is 0 and its bytes when it is met first, then its number; those of the transaction, and zero, are known. */
class Addresses {
  readonly #known: Address[];

  constructor({ from, to }: NativeParties) {
    this.#known = [from, to, ZERO_ADDRESS];
  }

  write(writer: Writer, address: Address): void {
    const at = this.#known.indexOf(address) + 1;
    writer.u8(at);
    if (at !== 0) return;
    shortId.encode(writer, address);
    this.#known.push(address);
  }

  read(reader: Reader): Address {
    const at = reader.u8();
    if (at !== 0) return known(this.#known, at - 1);
    const address = shortId.decode(reader);
    this.#known.push(address);
    return address;
  }
}

function known<T>(values: readonly T[], at: number): T {
  const value = values[at];
  if (value === undefined) throw new FirnError("evm-rows", `has a part that refers to number ${at} of ${values.length}`, { at });
  return value;
}

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

/** The first bytes of a transaction's hash, as in the key of its position. */
export function hashPrefix(hash: Hash): string {
  return hash.slice(0, PREFIX_DIGITS);
}

const PREFIX_DIGITS = 16;
