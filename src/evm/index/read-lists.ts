/** Reads the lists of the index: of an address's transactions, and of the parts that a list of `evm_lists` leads to. */

import type { Address } from "../../sources/evm/parser/block.ts";
import type { StoreReader } from "../../store/store.ts";
import type { Transfer } from "../facts.ts";
import { nftList, tokenList } from "./list-rows.ts";
import { evmLists } from "./log-tables.ts";
import { type OwnPart, type PartPlace, type Posting, ROLES, readEntries, windowOf } from "./postings.ts";
import { type PartOfRow, readTransferParts, type TransactionPlace } from "./read-parts.ts";
import { evmAddressInternals, evmAddressTransactions, evmTransactions } from "./tables.ts";

/** A piece of a list. Heights and places are bounds in the direction of the list. */
export interface ListRange<P> {
  /** included: where the list starts; all of a block if only its height is given */
  readonly from?: Partial<P> | undefined;
  readonly after?: P | undefined;
  /** excluded */
  readonly until?: { readonly height: bigint } | undefined;
  readonly reverse: boolean;
}

/** Whether a place is in a range. */
function isWithin<P extends { readonly height: bigint }>(place: P, { from, after, until, reverse }: ListRange<P>): boolean {
  const sign = reverse ? -1 : 1;
  return (
    (from === undefined || sign * compare(place, from) >= 0) &&
    (after === undefined || sign * compare(place, after) > 0) &&
    (until === undefined || (reverse ? place.height > until.height : place.height < until.height))
  );
}

const ORDER = ["height", "index", "part"] as const;

/** Compares as far as the second place is given. */
function compare(a: object, b: object): number {
  for (const column of ORDER) {
    const right = (b as PartPlace)[column];
    if (right === undefined) return 0;
    const left = (a as PartPlace)[column];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

export interface ListKey {
  readonly chain: number;
  /** `logList`, `tokenList` or `nftList` */
  readonly list: string;
}

const MOST_WINDOWS = 32;

/** Reads the next parts of a list. Costs O(limit) rows. */
export async function listedParts(reader: StoreReader, key: ListKey, range: ListRange<PartPlace>, limit: number): Promise<PartPlace[]> {
  const { reverse, until } = range;
  const start = range.after?.height ?? range.from?.height;
  const end = until && (reverse ? windowOf(until.height) - 1n : windowOf(until.height) + 1n);
  const bounds = { prefix: { ...key }, reverse, ...(end !== undefined && end >= 0n && { until: { window: end } }) };
  const places: PartPlace[] = [];
  let next: { from?: { window: bigint }; after?: { window: bigint } } = start === undefined ? {} : { from: { window: windowOf(start) } };
  // a window has at least one part
  for (let windows = reader.isRemote ? MOST_WINDOWS : 2; ; windows = Math.min(2 * windows, MOST_WINDOWS)) {
    const asked = Math.min(windows, limit - places.length + 1);
    const rows = await reader.scan(evmLists, { ...bounds, ...next, limit: asked });
    for (const { key: at, value } of rows) {
      const found = readEntries(at.window, value.entries);
      for (const place of reverse ? found.reverse() : found) {
        if (!isWithin(place, range)) continue;
        places.push(place);
        if (places.length === limit) return places;
      }
    }
    if (rows.length < asked) return places;
    next = { after: { window: rows.at(-1)!.key.window } };
  }
}

/** Parts that are read at once; more if reads do not block the thread. */
export const partsAtOnce = ({ isRemote }: Pick<StoreReader, "isRemote">) => (isRemote ? 128 : 16);

/** Reads the next places of a list, after one. Each of them has items that the caller wants. */
export type NextParts = (after: PartPlace | undefined, limit: number) => Promise<readonly PartPlace[]>;

export interface ReadPart<T> extends PartOfRow {
  /** all of the part, in the chain's order */
  readonly items: readonly T[];
}

/**
 * Reads part after part of a list, with the rows of their transactions. Costs at most two rows for each.
 * @param wanted how many items the caller wants at most; it reads no more parts
 */
export async function* readParts<T>(
  reader: StoreReader,
  chain: number,
  next: NextParts,
  read: (reader: StoreReader, chain: number, parts: readonly PartOfRow[]) => Promise<T[][]>,
  wanted: number,
): AsyncGenerator<ReadPart<T>> {
  let after: PartPlace | undefined;
  const most = partsAtOnce(reader);
  for (let left = wanted; left > 0; left -= most) {
    const limit = Math.min(most, left);
    const places = await next(after, limit);
    const rows = await reader.getMany(
      evmTransactions,
      places.map(({ height, index }) => ({ chain, height, index })),
    );
    const parts = places.map(({ height, index, part }, i) => {
      const row = rows[i];
      if (row === undefined) throw new Error(`transaction ${index} of block ${height} has no row`);
      return { place: { height, index }, row, part };
    });
    for (const [i, items] of (await read(reader, chain, parts)).entries()) yield { ...parts[i]!, items };
    if (places.length < limit) return;
    after = places.at(-1);
  }
}

/** The transfers of parts that have some of a token, or of one NFT, those of other tokens included. */
export function tokenParts(
  reader: StoreReader,
  { chain, token, tokenId }: { readonly chain: number; readonly token: Address; readonly tokenId?: bigint | undefined },
  { wanted, ...range }: ListRange<PartPlace> & { readonly wanted: number },
): AsyncGenerator<ReadPart<Transfer>> {
  const list = { chain, list: tokenId === undefined ? tokenList(token) : nftList(token, tokenId) };
  const next: NextParts = (after, limit) => listedParts(reader, list, { ...range, ...(after && { after }) }, limit);
  return readParts(reader, chain, next, readTransferParts, wanted);
}

/** The newest transfers of a token, newest first. Costs a few rows for each. */
export async function newestTokenTransfers(
  reader: StoreReader,
  key: { readonly chain: number; readonly token: Address },
  wanted: number,
): Promise<(Transfer & TransactionPlace)[]> {
  const newest: (Transfer & TransactionPlace)[] = [];
  for await (const { place, items } of tokenParts(reader, key, { reverse: true, wanted })) {
    for (const transfer of items.toReversed()) if (transfer.token === key.token) newest.push({ ...transfer, ...place });
    if (newest.length >= wanted) break;
  }
  return newest.slice(0, wanted);
}

/** A transaction in a list of an address. */
export interface PlacedPosting extends TransactionPlace, Posting {
  /** undefined in the list of internal transactions */
  readonly role: number | undefined;
}

interface AddressKey {
  readonly chain: number;
  readonly address: Address;
}

/** Transactions in which an address has one of the wanted roles. Costs O(limit) rows, and some for each role that the address ever had. */
export async function addressTransactions(
  reader: StoreReader,
  key: AddressKey,
  isWanted: (role: number) => boolean,
  range: ListRange<TransactionPlace>,
  limit: number,
): Promise<PlacedPosting[]> {
  const roles = (await rolesOf(reader, key)).filter(isWanted);
  const lists = roles.map((role) => async (height: HeightRange, rows: number) => {
    return reader.scan(evmAddressTransactions, { prefix: { ...key, role }, ...height, limit: rows });
  });
  return mergedPostings(lists, range, limit);
}

/** Transactions with internal transactions from or to an address. Costs O(limit) rows. */
export function addressInternals(
  reader: StoreReader,
  key: AddressKey,
  range: ListRange<TransactionPlace>,
  limit: number,
): Promise<PlacedPosting[]> {
  const read: ReadBlocks = async (height, rows) => reader.scan(evmAddressInternals, { prefix: { ...key }, ...height, limit: rows });
  return mergedPostings([read], range, limit);
}

/** The roles that an address ever had. Costs one row for each, and one; or, where reads do not block the thread, one for each there is. */
async function rolesOf(reader: StoreReader, prefix: AddressKey): Promise<number[]> {
  if (reader.isRemote) {
    const all = Array.from({ length: ROLES }, (_, role) => role);
    const found = await Promise.all(all.map((role) => reader.scan(evmAddressTransactions, { prefix: { ...prefix, role }, limit: 1 })));
    return all.filter((role) => found[role]!.length > 0);
  }
  const roles: number[] = [];
  while (roles.length < ROLES) {
    const after = roles.at(-1);
    const [row] = await reader.scan(evmAddressTransactions, {
      prefix: { ...prefix },
      ...(after !== undefined && { after: { role: after } }),
      limit: 1,
    });
    if (row === undefined) break;
    roles.push(row.key.role);
  }
  return roles;
}

interface HeightRange {
  readonly from?: { readonly height: bigint };
  readonly after?: { readonly height: bigint };
  readonly until?: { readonly height: bigint };
  readonly reverse: boolean;
}

type BlockRow = {
  readonly key: { readonly height: bigint; readonly role?: number };
  readonly value: { readonly transactions: readonly Posting[] };
};
type ReadBlocks = (range: HeightRange, limit: number) => Promise<readonly BlockRow[]>;

/**
 * The parts that a list of an address leads to.
 * @param postings reads the list's transactions
 * @param isWanted whether the list has something in this part; only for transactions with several parts
 */
export async function addressParts(
  postings: (range: ListRange<TransactionPlace>, limit: number) => Promise<readonly PlacedPosting[]>,
  isWanted: (part: OwnPart) => boolean,
  range: ListRange<PartPlace>,
  limit: number,
): Promise<PartPlace[]> {
  const { from, after, until, reverse } = range;
  const { part: _, ...start }: Partial<PartPlace> = after ?? from ?? {};
  // those of the first transaction may all be before the range
  const found = await postings({ from: start, until, reverse }, limit + 1);
  const places = found.flatMap(({ height, index, parts }) => {
    const own = parts === undefined ? [{ part: 0 }] : parts.filter(isWanted);
    return (reverse ? own.toReversed() : own).map(({ part }) => ({ height, index, part }));
  });
  return places.filter((place) => isWithin(place, range)).slice(0, limit);
}

/** Merges lists by place. A transaction is in one of them only. */
async function mergedPostings(lists: readonly ReadBlocks[], range: ListRange<TransactionPlace>, limit: number): Promise<PlacedPosting[]> {
  // most lists have few of a page's transactions
  const chunk = lists.length === 1 ? limit : Math.min(limit, Math.ceil((2 * limit) / lists.length) + 1);
  const cursors = await Promise.all(lists.map((read) => Cursor.open(read, range, chunk)));
  const sign = range.reverse ? -1 : 1;
  const merged: PlacedPosting[] = [];
  while (merged.length < limit) {
    let first: Cursor | undefined;
    for (const cursor of cursors) {
      if (cursor.item !== undefined && (first === undefined || sign * compare(cursor.item, first.item!) < 0)) first = cursor;
    }
    if (first === undefined) break;
    merged.push(first.item!);
    const read = first.advance();
    if (read !== undefined) await read;
  }
  return merged;
}

class Cursor {
  item: PlacedPosting | undefined;
  readonly #read: ReadBlocks;
  readonly #range: ListRange<TransactionPlace>;
  #chunk: number;
  #items: PlacedPosting[] = [];
  #next = 0;
  #last: bigint | undefined;
  #isAtEnd = false;

  static async open(read: ReadBlocks, range: ListRange<TransactionPlace>, chunk: number): Promise<Cursor> {
    const cursor = new Cursor(read, range, chunk);
    await cursor.advance();
    return cursor;
  }

  private constructor(read: ReadBlocks, range: ListRange<TransactionPlace>, chunk: number) {
    this.#read = read;
    this.#range = range;
    this.#chunk = chunk;
  }

  /** Moves to the next posting; returns undefined if that needed no read. */
  advance(): Promise<void> | undefined {
    this.item = this.#items[this.#next++];
    return this.item === undefined && !this.#isAtEnd ? this.#fill() : undefined;
  }

  async #fill(): Promise<void> {
    const { from, after, until, reverse } = this.#range;
    const start = after?.height ?? from?.height;
    const bounds = { reverse, ...(until && { until }) };
    do {
      const first = start === undefined ? {} : { from: { height: start } };
      const rows = await this.#read({ ...bounds, ...(this.#last === undefined ? first : { after: { height: this.#last } }) }, this.#chunk);
      this.#isAtEnd = rows.length < this.#chunk;
      // a list that has more than its share costs few reads
      this.#chunk *= 2;
      this.#last = rows.at(-1)?.key.height;
      this.#items = rows.flatMap((row) => this.#placed(row));
    } while (this.#items.length === 0 && !this.#isAtEnd);
    this.item = this.#items[0];
    this.#next = 1;
  }

  #placed({ key: { height, role }, value }: BlockRow): PlacedPosting[] {
    const placed = value.transactions.map((posting) => ({ ...posting, height, role })).filter((place) => isWithin(place, this.#range));
    return this.#range.reverse ? placed.reverse() : placed;
  }
}
