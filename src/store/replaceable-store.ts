/**
 * A store whose content can be replaced: one object that reads and writes whatever store is currently open. During a replacement calls
 * wait: running snapshots end first, and later ones see the new state.
 */
import type { Change, Row, Table, TableKey, TableValue } from "../base/table/table.ts";
import type { EncodedRows } from "./encoded-rows.ts";
import type { FolderStore } from "./open.ts";
import type { Column, PartOf, ScanRange, StoreReader } from "./store.ts";

export class ReplaceableStore implements FolderStore {
  #current: FolderStore;
  #running = 0;
  #idle: (() => void) | undefined;
  /** undefined unless the store is being replaced */
  #exchange: Promise<void> | undefined;

  constructor(store: FolderStore) {
    this.#current = store;
  }

  /**
   * @param exchange closes the given store, puts another in its place and opens it. If it fails there is no store, and every later call
   * rejects with its error.
   */
  async replace(exchange: (current: FolderStore) => Promise<FolderStore>): Promise<void> {
    while (this.#exchange !== undefined) await this.#exchange;
    this.#exchange = this.#replace(exchange);
    // later callers get the failure
    await this.#exchange;
    this.#exchange = undefined;
  }

  get<T extends Table>(table: T, key: TableKey<T>): Promise<TableValue<T> | undefined> {
    return this.#use((store) => store.get(table, key));
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]> {
    return this.#use((store) => store.getMany(table, keys));
  }

  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Promise<(Uint8Array | undefined)[]> {
    return this.#use((store) => store.getParts(table, column, parts));
  }

  scan<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]> {
    return this.#use((store) => store.scan(table, range));
  }

  commit(changes: readonly Change[], encoded?: readonly EncodedRows[]): Promise<void> {
    return this.#use((store) => store.commit(changes, encoded));
  }

  snapshot<R>(read: (reader: StoreReader) => Promise<R>): Promise<R> {
    return this.#use((store) => store.snapshot(read));
  }

  clear(table: Table): Promise<void> {
    return this.#use((store) => store.clear(table));
  }

  availableBytes(): Promise<bigint | undefined> {
    return this.#use((store) => store.availableBytes());
  }

  copyTo(directory: string): Promise<void> {
    return this.#use((store) => store.copyTo(directory));
  }

  async close(): Promise<void> {
    await this.#exchange;
    await this.#current.close();
  }

  async #replace(exchange: (current: FolderStore) => Promise<FolderStore>): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    this.#current = await exchange(this.#current);
  }

  async #use<R>(run: (store: FolderStore) => Promise<R>): Promise<R> {
    while (this.#exchange !== undefined) await this.#exchange;
    this.#running++;
    try {
      return await run(this.#current);
    } finally {
      if (--this.#running === 0) this.#idle?.();
    }
  }
}
