/**
 * Reads a page of one list that is spread over several key ranges. It is a k-way merge of cursors, each of which is sorted already. It
 * costs O(ranges + limit) rows, whatever the length of the ranges.
 */
import type { Row, Table, TableKey } from "../base/table/table.ts";
import { type StoreReader, sideBySide } from "../store/store.ts";

interface MergedScan<T extends Table> {
  /** all prefixes name the same leading key columns */
  readonly prefixes: readonly Partial<TableKey<T>>[];
  /** start at this position, inclusive; names key columns after the prefix */
  readonly from?: Partial<TableKey<T>>;
  /** start after this position */
  readonly after?: Partial<TableKey<T>>;
  /** stop before this position */
  readonly until?: Partial<TableKey<T>>;
  readonly reverse?: boolean;
  /** Skips the rows for which it returns false. The caller must know that few rows are skipped, or set `patience`. */
  readonly accepts?: (row: Row<T>) => boolean;
  readonly limit: number;
}

interface MergedPage<T extends Table> {
  readonly rows: Row<T>[];
  /** the last row that was read, if the page ended early */
  readonly endedAt: Row<T> | undefined;
}

/** Returns rows in order of the columns after the prefix. If rows of several ranges are equal there, the first range's row is returned. */
export async function mergedScan<T extends Table>(reader: Pick<StoreReader, "scan">, table: T, scan: MergedScan<T>): Promise<Row<T>[]> {
  return (await mergedPage(reader, table, scan, Number.POSITIVE_INFINITY)).rows;
}

/** @param patience how many rows may be skipped before the page ends early */
export async function mergedPage<T extends Table>(
  reader: Pick<StoreReader, "scan">,
  table: T,
  scan: MergedScan<T>,
  patience: number,
): Promise<MergedPage<T>> {
  const { prefixes, limit, accepts } = scan;
  if (prefixes.length === 0 || limit === 0) return { rows: [], endedAt: undefined };
  if (prefixes.length === 1 && accepts === undefined) {
    const { from, after, until, reverse } = scan;
    return { rows: await reader.scan(table, { prefix: prefixes[0]!, from, after, until, reverse, limit }), endedAt: undefined };
  }
  const columns = Object.keys(table.key).slice(Object.keys(prefixes[0]!).length);
  // Most ranges have at most a few rows in a page.
  const chunk = prefixes.length === 1 ? limit : Math.min(limit, Math.ceil((2 * limit) / prefixes.length) + 1);
  const opened: Cursor<T>[] = [];
  const all = prefixes.map((prefix, rank) => new Cursor(reader, table, scan, prefix, { chunk, rank }));
  for await (const cursor of sideBySide(all, (cursor) => cursor.open())) if (cursor.row !== undefined) opened.push(cursor);
  const direction = scan.reverse ? -1 : 1;
  const precedes = (a: Cursor<T>, b: Cursor<T>) => (direction * compare(a.row!.key, b.row!.key, columns) || a.rank - b.rank) < 0;
  const cursors = heapOf(opened, precedes);
  const rows: Row<T>[] = [];
  let passed = 0;
  while (cursors.length > 0) {
    const row = cursors[0]!.row!;
    if (accepts !== undefined && !accepts(row)) {
      if (++passed > patience) return { rows, endedAt: row };
    } else {
      const last = rows.at(-1);
      if (last === undefined || compare(last.key, row.key, columns) !== 0) rows.push(row);
      if (rows.length === limit) break;
    }
    const read = cursors[0]!.advance();
    if (read !== undefined) await read;
    if (cursors[0]!.row === undefined) {
      const end = cursors.pop()!;
      if (cursors.length > 0) cursors[0] = end;
    }
    sink(cursors, 0, precedes);
  }
  return { rows, endedAt: undefined };
}

/** A binary heap: the first element precedes all others. */
function heapOf<C>(elements: C[], precedes: (a: C, b: C) => boolean): C[] {
  for (let at = (elements.length >> 1) - 1; at >= 0; at--) sink(elements, at, precedes);
  return elements;
}

function sink<C>(heap: C[], from: number, precedes: (a: C, b: C) => boolean): void {
  for (let at = from; ; ) {
    let first = at;
    for (const child of [2 * at + 1, 2 * at + 2]) if (child < heap.length && precedes(heap[child]!, heap[first]!)) first = child;
    if (first === at) return;
    [heap[at], heap[first]] = [heap[first]!, heap[at]!];
    at = first;
  }
}

/** Reads one range in chunks. */
class Cursor<T extends Table> {
  row: Row<T> | undefined;
  readonly rank: number;
  #rows: Row<T>[] = [];
  #next = 0;
  #last: TableKey<T> | undefined;
  #isAtEnd = false;
  #chunk: number;
  readonly #reader: Pick<StoreReader, "scan">;
  readonly #table: T;
  readonly #scan: MergedScan<T>;
  readonly #prefix: Partial<TableKey<T>>;

  constructor(
    reader: Pick<StoreReader, "scan">,
    table: T,
    scan: MergedScan<T>,
    prefix: Partial<TableKey<T>>,
    { chunk, rank }: { readonly chunk: number; readonly rank: number },
  ) {
    this.#reader = reader;
    this.#table = table;
    this.#scan = scan;
    this.#prefix = prefix;
    this.#chunk = chunk;
    this.rank = rank;
  }

  /** Moves to the first row. */
  async open(): Promise<this> {
    await this.advance();
    return this;
  }

  /** Moves to the next row; returns undefined if that needed no read. */
  advance(): Promise<void> | undefined {
    if (this.#next === this.#rows.length && !this.#isAtEnd) return this.#fill();
    this.row = this.#rows[this.#next++];
    return undefined;
  }

  async #fill(): Promise<void> {
    const { from, after, until, reverse, accepts, limit } = this.#scan;
    const last = this.#last;
    this.#rows = await this.#reader.scan(this.#table, {
      prefix: this.#prefix,
      from: last === undefined ? from : undefined,
      after: last ?? after,
      until,
      reverse,
      limit: this.#chunk,
    });
    this.#isAtEnd = this.#rows.length < this.#chunk;
    this.#last = this.#rows.at(-1)?.key ?? this.#last;
    // a range that has more than its share, or whose rows are skipped, costs few reads
    this.#chunk = Math.min(2 * this.#chunk, accepts === undefined ? limit : LARGEST_CHUNK);
    this.#next = 0;
    this.row = this.#rows[this.#next++];
  }
}

const LARGEST_CHUNK = 1024;

function compare(a: object, b: object, columns: readonly string[]): number {
  for (const column of columns) {
    const left = (a as Record<string, bigint | number | string>)[column]!;
    const right = (b as Record<string, bigint | number | string>)[column]!;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
