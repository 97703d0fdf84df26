/**
 * A store whose content its own process can replace. During a replacement calls wait: running snapshots end first, and later ones see the
 * new state.
 */
import { ReadWriteLock } from "../base/work/read-write-lock.ts";
import type { FolderStore } from "./open.ts";
import { SwitchedStore } from "./switched-store.ts";

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
