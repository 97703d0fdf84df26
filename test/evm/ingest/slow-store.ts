/** A store in memory whose commits take time and can fail, like those on disk. Reads see committed rows. */
import { setImmediate as turn } from "node:timers/promises";
import type { Change, Row, Table, TableKey, TableValue } from "../../../src/base/table/table.ts";
import { type Column, cutParts, type PartOf, type ScanRange, type Store, type StoreReader } from "../../../src/store/store.ts";
import type { MemoryRows } from "../../conformance/memory-rows.ts";

export class SlowStore implements Store {
  readonly commits: (readonly Change[])[] = [];
  /** of the next commits, undefined: succeeds */
  readonly failures: (Error | undefined)[] = [];
  /** turns of the event loop that a commit takes */
  turns = 3;
  readonly #rows: MemoryRows;
  #last: Promise<void> = Promise.resolve();

  constructor(rows: MemoryRows) {
    this.#rows = rows;
  }

  async get<T extends Table>(table: T, key: TableKey<T>): Promise<TableValue<T> | undefined> {
    return this.#rows.get(table, key);
  }

  async getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]> {
    return keys.map((key) => this.#rows.get(table, key));
  }

  async getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Promise<(Uint8Array | undefined)[]> {
    return cutParts(column, parts, (key) => this.#rows.get(table, key));
  }

  /** Whole tables only. */
  async scan<T extends Table>(table: T, { limit, after }: ScanRange<T>): Promise<Row<T>[]> {
    return after === undefined ? [...this.#rows.all(table)].slice(0, limit) : [];
  }

  async commit(changes: readonly Change[]): Promise<void> {
    const before = this.#last;
    this.#last = this.#commit(before, changes);
    await this.#last;
  }

  snapshot<R>(read: (reader: StoreReader) => Promise<R>): Promise<R> {
    return read(this);
  }

  async clear(): Promise<void> {}

  async availableBytes(): Promise<undefined> {}

  async close(): Promise<void> {}

  async #commit(before: Promise<void>, changes: readonly Change[]): Promise<void> {
    await before.catch(() => {});
    for (let left = this.turns; left > 0; left--) await turn();
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    this.commits.push(changes);
    this.#rows.apply(changes);
  }
}
