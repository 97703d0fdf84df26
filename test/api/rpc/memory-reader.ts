/** A store in memory for tests of readers: rows from a view's changes, scans in key order. Counts the rows that are read. */
import type { Change, Row, Table, TableKey, TableValue } from "../../../src/base/table/table.ts";
import { type Column, cutParts, type PartOf, type ScanRange, type StoreReader } from "../../../src/store/store.ts";

type Key = Record<string, string | number | bigint | boolean>;

export class MemoryReader implements StoreReader {
  rowsRead = 0;
  readonly #tables = new Map<number, Map<string, { key: Key; value: object }>>();

  apply(changes: readonly Change[]): this {
    for (const { table, key, value } of changes) {
      const rows = this.#rows(table);
      if (value === undefined) rows.delete(nameOf(key as Key));
      else rows.set(nameOf(key as Key), { key: key as Key, value });
    }
    return this;
  }

  put<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T>): this {
    return this.apply([{ table, key, value } as Change]);
  }

  async get<T extends Table>(table: T, key: TableKey<T>): Promise<TableValue<T> | undefined> {
    this.rowsRead++;
    return this.#rows(table).get(nameOf(key as Key))?.value as TableValue<T> | undefined;
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]> {
    return Promise.all(keys.map((key) => this.get(table, key)));
  }

  async getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Promise<(Uint8Array | undefined)[]> {
    const rows = this.#rows(table);
    return cutParts(column, parts, (key) => {
      this.rowsRead++;
      return rows.get(nameOf(key as Key))?.value as TableValue<T> | undefined;
    });
  }

  async scan<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]> {
    const columns = Object.keys(table.key);
    const sign = range.reverse ? -1 : 1;
    const order = (a: Key, b: Partial<Key>) => sign * compare(columns, a, b);
    const { prefix = {}, from, after, until } = range as { prefix?: Key; from?: Key; after?: Key; until?: Key };
    const found = [...this.#rows(table).values()].filter(
      ({ key }) =>
        compare(columns, key, prefix) === 0 &&
        (from === undefined || order(key, { ...prefix, ...from }) >= 0) &&
        (after === undefined || order(key, { ...prefix, ...after }) > 0) &&
        (until === undefined || order(key, { ...prefix, ...until }) < 0),
    );
    const rows = found.sort((a, b) => order(a.key, b.key)).slice(0, range.limit);
    this.rowsRead += rows.length;
    return rows as unknown as Row<T>[];
  }

  #rows(table: Table): Map<string, { key: Key; value: object }> {
    let rows = this.#tables.get(table.id);
    if (rows === undefined) {
      rows = new Map();
      this.#tables.set(table.id, rows);
    }
    return rows;
  }
}

/** By the columns that `b` has. */
function compare(columns: readonly string[], a: Key, b: Partial<Key>): number {
  for (const column of columns) {
    const [left, right] = [a[column], b[column]];
    if (right === undefined) return 0;
    if (left !== right) return left! < right ? -1 : 1;
  }
  return 0;
}

function nameOf(key: Key): string {
  return Object.values(key).join("|");
}
