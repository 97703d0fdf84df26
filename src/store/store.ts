import type { Change, Row, Table, TableKey, TableValue } from "../primitives/table.ts";
import type { EncodedRows } from "./encoded-rows.ts";

/**
 * The store's contract: typed tables, three kinds of reads, one atomic commit. It does not know the meaning of rows, and nothing in it is
 * specific to a backend. Every read may be a network round trip, so callers batch.
 */
export interface StoreReader {
  get<T extends Table>(table: T, key: TableKey<T>): Promise<TableValue<T> | undefined>;
  /** Values in the order of `keys`; `undefined` where there is no row. */
  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]>;
  /** At most `limit` rows in key order. Cost: O(rows returned). */
  scan<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]>;
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
}

export interface Store extends StoreReader {
  /**
   * Applies all changes or none. They are visible to other processes when it resolves.
   * @param encoded rows that are encoded already; written after the changes, and not changed by anybody meanwhile
   */
  commit(changes: readonly Change[], encoded?: readonly EncodedRows[]): Promise<void>;
  /** Runs `read` against one committed state, unaffected by later commits. */
  snapshot<R>(read: (reader: StoreReader) => Promise<R>): Promise<R>;
  /** Deletes all rows of a table (used by `firn reindex` only). */
  clear(table: Table): Promise<void>;
  /** Bytes that the store can still grow by; undefined if the backend cannot tell. */
  availableBytes(): Promise<bigint | undefined>;
  close(): Promise<void>;
}

/** Rows per read: a budgeted reader can lose its turn between two reads. */
const PAGE = 256;

/** Reads a whole range in pages of `pageSize`. */
export async function* scanAll<T extends Table>(
  reader: StoreReader,
  table: T,
  prefix: Partial<TableKey<T>> = {},
  { pageSize = PAGE, from }: { pageSize?: number; from?: Partial<TableKey<T>> } = {},
): AsyncGenerator<Row<T>> {
  let after: TableKey<T> | undefined;
  for (;;) {
    const rows: Row<T>[] = await reader.scan(table, { prefix, limit: pageSize, ...(from && { from }), ...(after && { after }) });
    yield* rows;
    if (rows.length < pageSize) return;
    after = rows[rows.length - 1]!.key;
  }
}
