/** A store with the index of generated EVM chains. */
import type { IndexedChain } from "../../../../src/evm/index/evm-index.ts";
import type { EvmBlock } from "../../../../src/sources/evm/parser/block.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../../../src/store/store.ts";
import { IndexedRows } from "../../../evm/index/indexed-rows.ts";
import { scratchDirectory } from "../../../store/scratch.ts";

/** @param chains blocks by the chain's number */
export async function withIndexedChains(
  chains: ReadonlyMap<number, readonly EvmBlock[]>,
  check: (store: Store) => Promise<void>,
  options: Partial<IndexedChain> = {},
) {
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  try {
    for (const [chain, blocks] of chains) {
      const indexed = new IndexedRows({ ...options, chain });
      for (const block of blocks) indexed.project(block, { recordsUndo: false });
      await store.commit(indexed.view.drain());
    }
    await check(store);
  } finally {
    await store.close();
  }
}
