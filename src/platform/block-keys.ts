/** Which rows executing a block or a transaction reads, other than resident ones. */
import type { RowKey } from "../primitives/view.ts";
import type { PlatformBlock } from "./block/block.ts";
import { definitionOf, type SignedTx } from "./tx/registry.ts";

export function blockKeys(block: PlatformBlock): RowKey[] {
  return blockTxs(block).flatMap(txKeys);
}

export function txKeys(tx: SignedTx): RowKey[] {
  return definitionOf(tx.unsigned.kind).keysRead(tx.unsigned);
}
