/**
 * A store whose content can be replaced: one object that reads and writes whatever store is currently open. During a replacement calls
 * wait: running snapshots end first, and later ones see the new state.
 */
import type { Change, Row, Table, TableKey, TableValue } from "../base/table/table.ts";
import { ReadWriteLock } from "../base/work/read-write-lock.ts";
import type { EncodedRows } from "./encoded-rows.ts";
import type { FolderStore } from "./open.ts";
import type { Column, PartOf, ScanRange, StoreReader } from "./store.ts";

export class ReplaceableStore implements FolderStore {
  readonly #lock = new ReadWriteLock();
  #current: FolderStore;
  /** why there is no store; undefined: there is one */
  #failure: { readonly error: unknown } | undefined;

  constructor(store: FolderStore) {
    this.#current = store;
  }

  /**
   * @param exchange closes the given store, puts another in its place and opens it. If it fails there is no store, and every later call
   * rejects with its error.
   */
  replace(exchange: (current: FolderStore) => Promise<FolderStore>): Promise<void> {
    return this.#lock.alone(async () => {
      try {
        this.#current = await exchange(this.#existing());
      } catch (error) {
        this.#failure ??= { error };
        throw error;
      }
    });
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
    await this.#lock.unlocked();
    await this.#existing().close();
  }

  #use<R>(run: (store: FolderStore) => Promise<R>): Promise<R> {
    return this.#lock.shared(() => run(this.#existing()));
  }

  #existing(): FolderStore {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#current;
  }
}
