import { LmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../src/store/store.ts";
import { scratchDirectory } from "./scratch.ts";

/** Gives `use` an empty store, which is gone after the test. */
export async function withScratchStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
