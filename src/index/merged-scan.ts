/**
 * A page of one list that lies in several key ranges: a k-way merge of cursors that are each in order already. The cost is
 * O(ranges + limit) rows, whatever the length of the ranges.
 */
import type { Row, Table, TableKey } from "../primitives/table.ts";
import type { StoreReader } from "../store/store.ts";

export interface MergedScan<T extends Table> {
  /** each names the same leading key columns, with other values */
  readonly prefixes: readonly Partial<TableKey<T>>[];
  /** start at this position, inclusive; columns behind the prefix */
  readonly from?: Partial<TableKey<T>>;
  /** start after this position */
  readonly after?: Partial<TableKey<T>>;
  /** stop before this position */
  readonly until?: Partial<TableKey<T>>;
  readonly reverse?: boolean;
  readonly limit: number;
}

/** Rows in order of the columns behind the prefix. Of rows that are equal there, as one item in several ranges is, the first range's is kept. */
export async function mergedScan<T extends Table>(reader: StoreReader, table: T, scan: MergedScan<T>): Promise<Row<T>[]> {
  const { prefixes, limit } = scan;
  if (prefixes.length === 0 || limit === 0) return [];
  const columns = Object.keys(table.key).slice(Object.keys(prefixes[0]!).length);
  // Most ranges end in the first few rows of a page, if they have any in it
  const chunk = prefixes.length === 1 ? limit : Math.min(limit, Math.ceil((2 * limit) / prefixes.length) + 1);
  const cursors = await Promise.all(prefixes.map((prefix) => Cursor.open(reader, table, { ...scan, prefix }, chunk)));
  const precedes = (a: object, b: object) => compare(a, b, columns) < 0 !== (scan.reverse ?? false);
  const page: Row<T>[] = [];
  while (page.length < limit) {
    let first: Cursor<T> | undefined;
    for (const cursor of cursors) {
      if (cursor.row === undefined) continue;
      if (first === undefined || (compare(cursor.row.key, first.row!.key, columns) !== 0 && precedes(cursor.row.key, first.row!.key))) {
        first = cursor;
      }
    }
    if (first === undefined) break;
    const row = first.row!;
    page.push(row);
    for (const cursor of cursors) {
      if (cursor.row !== undefined && compare(cursor.row.key, row.key, columns) === 0) await cursor.advance();
    }
  }
  return page;
}

class Cursor<T extends Table> {
  row: Row<T> | undefined;
  #rows: Row<T>[] = [];
  #next = 0;
  readonly #read: (after: TableKey<T> | undefined) => Promise<Row<T>[]>;
  readonly #chunk: number;

  static async open<T extends Table>(
    reader: StoreReader,
    table: T,
    { prefix, from, after, until, reverse }: MergedScan<T> & { prefix: Partial<TableKey<T>> },
    chunk: number,
  ): Promise<Cursor<T>> {
    const range = { prefix, ...(until && { until }), ...(reverse && { reverse }), limit: chunk };
    const cursor = new Cursor<T>(chunk, (last) =>
      reader.scan(table, { ...range, ...(last === undefined ? { ...(from && { from }), ...(after && { after }) } : { after: last }) }),
    );
    await cursor.#fill();
    return cursor;
  }

  private constructor(chunk: number, read: (after: TableKey<T> | undefined) => Promise<Row<T>[]>) {
    this.#chunk = chunk;
    this.#read = read;
  }

  async advance(): Promise<void> {
    if (this.#next === this.#rows.length && this.#rows.length === this.#chunk) await this.#fill();
    else this.row = this.#rows[this.#next++];
  }

  async #fill(): Promise<void> {
    this.#rows = await this.#read(this.row?.key);
    this.row = this.#rows[0];
    this.#next = 1;
  }
}

function compare(a: object, b: object, columns: readonly string[]): number {
  for (const column of columns) {
    const left = (a as Record<string, bigint | number | string>)[column]!;
    const right = (b as Record<string, bigint | number | string>)[column]!;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
