/** Commits of the token service. They are small and sequential, and each has the next revision, so that cached answers become invalid. */

import type { Change, Table, TableKey, TableValue } from "../../base/table/table.ts";
import type { Store } from "../../store/store.ts";
import { evmTokenRevisions } from "../index/token-tables.ts";

export class TokenCommits {
  readonly #store: Store;
  readonly #chain: number;
  #last: Promise<void> = Promise.resolve();

  constructor(store: Store, chain: number) {
    this.#store = store;
    this.#chain = chain;
  }

  commit(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return Promise.resolve();
    const committed = this.#last.then(() => this.#commit(changes));
    this.#last = committed.catch(() => {});
    return committed;
  }

  async #commit(changes: readonly Change[]): Promise<void> {
    const key = { chain: this.#chain };
    const revision = (await this.#store.get(evmTokenRevisions, key))?.revision ?? 0n;
    await this.#store.commit([...changes, rowChange(evmTokenRevisions, key, { revision: revision + 1n })]);
  }
}

/** @param value undefined removes the row */
export function rowChange<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T> | undefined): Change {
  return { table, key, value } as Change;
}
