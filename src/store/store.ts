import type { Change, Row, Table, TableKey, TableValue } from "../base/table/table.ts";
import type { Awaitable } from "../base/work/awaitable.ts";
import type { EncodedRows } from "./encoded-rows.ts";

// Reads that do not depend on each other, sent together: a store behind a network answers them in one round trip.

/** Reads that are under way at the same time, so that what they return stays bounded. */
export const TOGETHER = 64;

/** Results in the order of the items. Reads one group of items after the other, as far as results are taken. */
export async function* sideBySide<T, R>(items: readonly T[], read: (item: T) => Awaitable<R>): AsyncGenerator<R> {
  for (let at = 0; at < items.length; at += TOGETHER) yield* await Promise.all(items.slice(at, at + TOGETHER).map(read));
}

/**
 * The store's contract: typed tables, four kinds of reads, one atomic commit. It does not know the meaning of rows, and nothing in it is
 * specific to a backend. Every read may be a network round trip, so callers batch.
 */
export interface StoreReader {
  /** whether reads wait for another process: for any time, and in vain if it fails */
  readonly isRemote?: boolean;
  get<T extends Table>(table: T, key: TableKey<T>): Awaitable<TableValue<T> | undefined>;
  /** Values in the order of `keys`; `undefined` where there is no row. */
  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Awaitable<(TableValue<T> | undefined)[]>;
  /**
   * Parts of a column of bytes, in the order of `parts`; `undefined` where there is no row. For few bytes of long values: only the parts stay
   * in memory. Parts of one row that follow each other, with the same key object, cost one read.
   */
  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Awaitable<(Uint8Array | undefined)[]>;
  /** At most `limit` rows in key order. Cost: O(rows returned). */
  scan<T extends Table>(table: T, range: ScanRange<T>): Awaitable<Row<T>[]>;
}

/** A column of a table's value. */
export type Column<T extends Table> = string & keyof T["value"];

/** `size` bytes from `offset` on of a column; fewer where it ends before. */
export interface PartOf<T extends Table> {
  readonly key: TableKey<T>;
  readonly offset: number;
  readonly size: number;
}

/** Implements `getParts` by reading rows at once. @param read may return memory that is valid until it is called again */
export function cutParts<T extends Table>(
  column: Column<T>,
  parts: readonly PartOf<T>[],
  read: (key: TableKey<T>) => TableValue<T> | undefined,
): (Uint8Array | undefined)[] {
  let row: { readonly key: TableKey<T>; readonly whole: Uint8Array | undefined } | undefined;
  return parts.map(({ key, offset, size }) => {
    if (row?.key !== key) row = { key, whole: read(key)?.[column] as Uint8Array | undefined };
    return row.whole && Uint8Array.prototype.slice.call(row.whole, offset, offset + size);
  });
}

/** A range of rows that share a key prefix. Bounds give further key columns, e.g. `{ height }` after `prefix: { subnetId }`. */
export interface ScanRange<T extends Table> {
  /** leading key columns, all equal */
  prefix?: Partial<TableKey<T>> | undefined;
  /** start at this key (prefix), inclusive; in scan direction */
  from?: Partial<TableKey<T>> | undefined;
  /** start after this key (prefix), exclusive; in scan direction */
  after?: Partial<TableKey<T>> | undefined;
  /** stop before this key (prefix), exclusive; in scan direction */
  until?: Partial<TableKey<T>> | undefined;
  /** descending instead of ascending */
  reverse?: boolean | undefined;
  limit: number;
  /** ends after the row with which values, as the backend keeps them, have so many bytes: for rows of any length in bounded memory */
  maxBytes?: number | undefined;
}

/** What a store tells of that is in the database of a server. */
export interface DatabaseStore extends Store {
  /** where it is, for people: without a password */
  readonly place: string;
  /** Rejects, with a sentence, if the database cannot be read or its tables are not as Firn made them. */
  check(): Promise<void>;
  sizeBytes(): Promise<number>;
  /** the process that writes it; undefined: none does */
  writer(): Promise<string | undefined>;
}

export function isInDatabase(store: Store): store is DatabaseStore {
  return "sizeBytes" in store;
}

/** A place that has the rows of a store, as a process that reads several sees it. */
export interface PlaceState {
  /** `primary`, or `replica 1` and so on, in the order in which they were given */
  readonly name: string;
  /** where it is, for people: without a password */
  readonly place: string;
  /** why it is not read; undefined: it may be */
  readonly problem: string | undefined;
  /** undefined: unknown, or it is the one that is written */
  readonly lagSeconds: number | undefined;
  /** whether it is the one that is read */
  readonly isRead: boolean;
}

/** A store whose rows are in several places, of which some may be behind. */
export interface ReplicatedReads extends DatabaseStore {
  /** increases whenever one of them was opened, which may have been restored from a backup since it was read before */
  readonly openings: number;
  places(): readonly PlaceState[];
  /** Places that may have rows which the one that is read has yet to get, the likeliest first. */
  elsewhere(): readonly Store[];
}

export function isReplicated(store: Store): store is ReplicatedReads {
  return "elsewhere" in store;
}

export interface Store extends StoreReader {
  /**
   * Applies all changes or none. They are visible to other processes when it resolves.
   * @param encoded rows that are encoded already; written after the changes, and not changed by anybody meanwhile
   */
  commit(changes: readonly Change[], encoded?: readonly EncodedRows[]): Promise<void>;
  /**
   * Runs `read` against one committed state, unaffected by later commits.
   * @param unneeded resolves when nobody waits for what is read any more; a backend may then cancel it
   */
  snapshot<R>(read: (reader: StoreReader) => Promise<R>, unneeded?: Promise<void>): Promise<R>;
  /** Deletes all rows of a table (used by `firn reindex` only). */
  clear(table: Table): Promise<void>;
  /** Bytes that the store can still grow by; undefined if the backend cannot tell. */
  availableBytes(): Promise<bigint | undefined>;
  close(): Promise<void>;
}

/** Rows per read: a budgeted reader can lose its turn between two reads. */
const PAGE = 256;
/** A further read of another process is a further round trip, and its reads do not block the thread. */
const REMOTE_ROWS = 2000;

/** How many rows to read at once. @param rows that block the thread for less than a millisecond */
export function rowsAtOnce({ isRemote }: Pick<StoreReader, "isRemote">, rows = PAGE): number {
  return isRemote ? REMOTE_ROWS : rows;
}

/** Reads a whole range in pages. */
export async function* scanAll<T extends Table>(
  reader: StoreReader,
  table: T,
  prefix: Partial<TableKey<T>> = {},
  { pageSize = rowsAtOnce(reader), from }: { pageSize?: number; from?: Partial<TableKey<T>> } = {},
): AsyncGenerator<Row<T>> {
  let after: TableKey<T> | undefined;
  for (;;) {
    const rows: Row<T>[] = await reader.scan(table, { prefix, limit: pageSize, ...(from && { from }), ...(after && { after }) });
    yield* rows;
    if (rows.length < pageSize) return;
    after = rows[rows.length - 1]!.key;
  }
}
