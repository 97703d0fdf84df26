/** Adds the content of call traces to transactions that were indexed without them, in one commit for each block. */

import { fetchRows } from "../../ingest/execute.ts";
import type { View } from "../../primitives/view.ts";
import type { Store } from "../../store/store.ts";
import type { EvmBlock } from "../block.ts";
import { decodeBlock } from "../decode/decode-block.ts";
import type { EvmIndex } from "../index/evm-index.ts";
import { evmTransactions } from "../index/tables.ts";

export interface FilledIndex {
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
  await fetchRows(store, view, index.fillKeys(facts, indexes));
  const found = await store.getMany(
    evmTransactions,
    indexes.map((each) => ({ chain, height: block.height, index: each })),
  );
  const rows = new Map(indexes.flatMap((each, i) => (found[i] === undefined ? [] : [[each, found[i]] as const])));
  const isSame = [...rows].every(([each, row]) => row.hash === block.transactions[each]?.hash);
  if (rows.size < indexes.length || !isSame || !index.fill(facts, rows)) return false;
  await store.commit(view.drain());
  return true;
}
