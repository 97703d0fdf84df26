/** Which rows executing a block or a transaction reads, other than resident ones. */
import { sharedElementKeys } from "../atomic/shared-memory.ts";
import { PLATFORM_CHAIN_ID } from "../primitives/id.ts";
import { utxoId } from "../primitives/utxo-id.ts";
import type { RowKey } from "../primitives/view.ts";
import { blockTxs, type PlatformBlock } from "./block/block.ts";
import { definitionOf } from "./tx/registry.ts";
import type { SignedTx } from "./tx/signed-tx.ts";

export function blockKeys(block: PlatformBlock): RowKey[] {
  return blockTxs(block).flatMap(txKeys);
}

export function txKeys(tx: SignedTx): RowKey[] {
  return [...definitionOf(tx.unsigned.kind).keysRead(tx.unsigned), ...exportKeys(tx)];
}

/** Shared memory may hold a tombstone where an export puts. */
function exportKeys({ id, unsigned }: SignedTx): RowKey[] {
  if (unsigned.kind !== "ExportTx") return [];
  const { destinationChain, exportedOutputs, outputs } = unsigned;
  const keys = exportedOutputs.map((_, i) => utxoId(id, outputs.length + i));
  return sharedElementKeys(destinationChain, PLATFORM_CHAIN_ID, keys);
}
