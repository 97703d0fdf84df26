/** Counts what a query reads: rows returned, keys looked up, and ranges opened, including empty ones. */
import type { Row, Table, TableKey, TableValue } from "../../src/base/table/table.ts";
import type { Column, PartOf, ScanRange, StoreReader } from "../../src/store/store.ts";

export class CountingReader implements StoreReader {
  readonly #reader: StoreReader;
  rows = 0;
  scans = 0;

  constructor(reader: StoreReader) {
    this.#reader = reader;
  }

  /** Rows and ranges together, as what a page costs. */
  get reads(): number {
    return this.rows + this.scans;
  }

  async get<T extends Table>(table: T, key: TableKey<T>): Promise<TableValue<T> | undefined> {
    this.rows++;
    return this.#reader.get(table, key);
  }

  async getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]> {
    this.rows += keys.length;
    return this.#reader.getMany(table, keys);
  }

  async getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Promise<(Uint8Array | undefined)[]> {
    this.rows += new Set(parts.map(({ key }) => key)).size;
    return this.#reader.getParts(table, column, parts);
  }

  async scan<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]> {
    const rows = await this.#reader.scan(table, range);
    this.scans++;
    this.rows += rows.length;
    return rows;
  }
}
