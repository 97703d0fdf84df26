/** A store in front of the one that is open now, which another one may replace: each call runs on one of them from its beginning to its end. */

import type { Change, Row, Table, TableKey, TableValue } from "../base/table/table.ts";
import { ReadWriteLock } from "../base/work/read-write-lock.ts";
import type { EncodedRows } from "./encoded-rows.ts";
import type { FolderStore } from "./open.ts";
import type { Column, PartOf, ScanRange, Store, StoreReader } from "./store.ts";

export abstract class SwitchedStore<S extends Store = Store> implements Store {
  /** Runs a call on the store that is open now, which stays open until the call ends. */
  protected abstract use<R>(run: (store: S) => Promise<R>): Promise<R>;

  abstract close(): Promise<void>;

  get<T extends Table>(table: T, key: TableKey<T>): Promise<TableValue<T> | undefined> {
    return this.use(async (store) => store.get(table, key));
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]> {
    return this.use(async (store) => store.getMany(table, keys));
  }

  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Promise<(Uint8Array | undefined)[]> {
    return this.use(async (store) => store.getParts(table, column, parts));
  }

  scan<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]> {
    return this.use(async (store) => store.scan(table, range));
  }

  snapshot<R>(read: (reader: StoreReader) => Promise<R>): Promise<R> {
    return this.use((store) => store.snapshot(read));
  }

  commit(changes: readonly Change[], encoded?: readonly EncodedRows[]): Promise<void> {
    return this.use((store) => store.commit(changes, encoded));
  }

  clear(table: Table): Promise<void> {
    return this.use((store) => store.clear(table));
  }

  availableBytes(): Promise<bigint | undefined> {
    return this.use((store) => store.availableBytes());
  }
}

export class ReplaceableStore extends SwitchedStore<FolderStore> implements FolderStore {
  readonly #lock = new ReadWriteLock();
  #current: FolderStore;
  /** why there is no store; undefined: there is one */
  #failure: { readonly error: unknown } | undefined;

  constructor(store: FolderStore) {
    super();
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

  copyTo(directory: string): Promise<void> {
    return this.use((store) => store.copyTo(directory));
  }

  async close(): Promise<void> {
    await this.#lock.unlocked();
    await this.#existing().close();
  }

  protected override use<R>(run: (store: FolderStore) => Promise<R>): Promise<R> {
    return this.#lock.shared(() => run(this.#existing()));
  }

  #existing(): FolderStore {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#current;
  }
}
