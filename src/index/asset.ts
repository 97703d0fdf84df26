/**
 * Read rows of asset chains: UTXOs by address, and the orders of acceptance that the Index API returns. An output costs one row per address
 * when it is created and again when it is consumed. A vertex costs one row, and so does each of its transactions.
 */

import type { View } from "../base/table/view.ts";
import type { AssetFacts } from "../chains/asset/facts.ts";
import type { ConsumedUtxo, ProducedUtxo } from "../network/execution.ts";
import { txOrder, utxosByAddress, vertexOrder } from "./tables.ts";

/** @param acceptedAt Unix nanoseconds */
export function projectAsset(view: View, facts: AssetFacts, acceptedAt: bigint): void {
  const { chainId } = facts;
  projectUtxos(view, facts.chain, facts);
  if (facts.vertex === undefined) return;
  // The node's transaction index covers the DAG only. Later transactions are found in their blocks.
  for (const { txId, index } of facts.txs) view.put(txOrder, { chainId, index }, { txId, acceptedAt });
  const { vertexId, sequence } = facts.vertex;
  view.put(vertexOrder, { chainId, index: sequence }, { vertexId, acceptedAt });
}

export interface UtxoChanges {
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
}

/**
 * Keeps `utxos_by_address` of a chain. An output that is created and consumed in the same facts leaves no row.
 * @param chain as in the table's key
 */
export function projectUtxos(view: View, chain: number, { produced, consumed }: UtxoChanges): void {
  for (const { utxoId, addresses, rank } of produced) {
    for (const address of new Set(addresses)) view.put(utxosByAddress, { chain, address, rank, utxoId }, {});
  }
  for (const { utxoId, addresses, rank } of consumed) {
    for (const address of new Set(addresses)) view.delete(utxosByAddress, { chain, address, rank, utxoId });
  }
}
