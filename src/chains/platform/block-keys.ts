/** The rows that executing a block or a transaction reads, except resident ones. */
import type { RowKey } from "../../base/table/view.ts";
import { blockTxs, type PlatformBlock } from "./block.ts";
import { definitionOf } from "./tx/registry.ts";
import type { SignedTx } from "./tx/signed-tx.ts";

export function blockKeys(block: PlatformBlock): RowKey[] {
  return blockTxs(block).flatMap(txKeys);
}

export function txKeys({ id, unsigned }: SignedTx): RowKey[] {
  return definitionOf(unsigned.kind).keysRead(unsigned, id);
}
