/** Adds the content of call traces to transactions that were indexed without them, in one commit for each block. */

import type { View } from "../../base/table/view.ts";
import { fetchRows } from "../../ingest/steps.ts";
import type { EvmBlock } from "../../sources/evm/parser/block.ts";
import type { Store } from "../../store/store.ts";
import { decodeBlock } from "../decode/decode-block.ts";
import type { EvmIndex } from "../index/evm-index.ts";
import type { IndexedTransaction } from "../index/filled-rows.ts";
import { allParts, readTransferParts } from "../index/read-parts.ts";
import { evmTransactions } from "../index/tables.ts";

interface FilledIndex {
  readonly store: Store;
  /** a view without uncommitted changes */
  readonly view: View;
  readonly index: EvmIndex;
  /** the chain's number in the store */
  readonly chain: number;
}

/** Returns false if it is not possible now (see `EvmIndex.fill`), or if the block was replaced meanwhile. */
export async function fillTraces(
  { store, view, index, chain }: FilledIndex,
  block: EvmBlock,
  indexes: readonly number[],
): Promise<boolean> {
  // traces do not depend on the class of tokens
  const facts = decodeBlock(block, () => undefined);
  const found = await store.getMany(
    evmTransactions,
    indexes.map((each) => ({ chain, height: block.height, index: each })),
  );
  const indexed = new Map<number, IndexedTransaction>();
  for (const [i, each] of indexes.entries()) {
    const row = found[i];
    if (row?.hash !== block.transactions[each]?.hash || row === undefined) return false;
    const parts = allParts({ height: block.height, index: each }, row, row.transfers);
    indexed.set(each, { row, transfers: (await readTransferParts(store, chain, parts)).flat() });
  }
  await fetchRows(store, view, index.fillKeys(facts, indexed));
  await fetchRows(store, view, index.fillKeysNext(facts, indexed));
  if (!index.fill(facts, indexed)) return false;
  await store.commit(view.drain());
  return true;
}
