/**
 * A store's rows in memory, for tests that execute without a store. Values are kept encoded, as in a store, to detect those that a table
 * cannot hold.
 */
import { type Codec, decodeAll, encodeAll, struct } from "../../src/base/codec/codec.ts";
import type { Change, Row, Table, TableKey, TableValue } from "../../src/base/table/table.ts";
import type { RowKey, View } from "../../src/base/table/view.ts";
import type { ScanRange } from "../../src/store/store.ts";

interface Stored {
  readonly key: object;
  readonly bytes: Uint8Array;
}

export class MemoryRows {
  readonly #tables = new Map<number, Map<string, Stored>>();

  apply(changes: readonly Change[]): void {
    for (const { table, key, value } of changes) {
      const rows = this.#rows(table);
      const name = nameOf(key);
      if (value === undefined) rows.delete(name);
      else rows.set(name, { key, bytes: encodeAll(valueCodec(table), value) });
    }
  }

  get<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    const stored = this.#rows(table).get(nameOf(key));
    return stored && decodeValue(table, stored.bytes);
  }

  *all<T extends Table>(table: T): Generator<Row<T>> {
    for (const { key, bytes } of this.#rows(table).values()) yield { key: key as TableKey<T>, value: decodeValue(table, bytes) };
  }

  /** In key order, as a store's. */
  async scan<T extends Table>(
    table: T,
    { prefix = {}, from = {}, after, reverse = false, limit }: Pick<ScanRange<T>, "prefix" | "from" | "after" | "reverse" | "limit">,
  ): Promise<Row<T>[]> {
    const wanted = Object.entries(prefix);
    const direction = reverse ? -1 : 1;
    const found = [...this.#rows(table).values()].filter(
      ({ key }) =>
        wanted.every(([column, value]) => (key as Record<string, unknown>)[column] === value) &&
        direction * compareKeys(key, from, Object.keys(from)) >= 0 &&
        (after === undefined || direction * compareKeys(key, after, Object.keys(after)) > 0),
    );
    const columns = Object.keys(table.key);
    const page = found.sort((a, b) => direction * compareKeys(a.key, b.key, columns)).slice(0, limit);
    return page.map(({ key, bytes }) => ({ key: key as TableKey<T>, value: decodeValue(table, bytes) }));
  }

  /** Loads whole tables into a view. */
  loadResident(view: View, tables: readonly Table[]): void {
    for (const table of tables) {
      view.setResident(table);
      for (const { key, value } of this.all(table)) view.load(table, key, value);
    }
  }

  /** Loads the rows that an execution will read. */
  prefetch(view: View, keys: readonly RowKey[]): void {
    for (const { table, key } of keys) if (!view.knows({ table, key })) view.load(table, key, this.get(table, key));
  }

  #rows(table: Table): Map<string, Stored> {
    let rows = this.#tables.get(table.id);
    if (rows === undefined) {
      rows = new Map();
      this.#tables.set(table.id, rows);
    }
    return rows;
  }
}

function decodeValue<T extends Table>(table: T, bytes: Uint8Array): TableValue<T> {
  return decodeAll(valueCodec(table), bytes) as TableValue<T>;
}

const valueCodecs = new Map<number, Codec<object>>();

function valueCodec({ id, value }: Table): Codec<object> {
  let codec = valueCodecs.get(id);
  if (codec === undefined) {
    codec = struct(value) as Codec<object>;
    valueCodecs.set(id, codec);
  }
  return codec;
}

function nameOf(key: object): string {
  return Object.values(key).join("|");
}

function compareKeys(a: object, b: object, columns: readonly string[]): number {
  for (const column of columns) {
    const [left, right] = [a, b].map((key) => (key as Record<string, bigint | number | string>)[column]!) as [bigint, bigint];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
