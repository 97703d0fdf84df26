/** What blocks, vertices and the genesis of the X-chain do to UTXOs. */

import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { type RowKey, rowKey } from "../../../base/table/view.ts";
import type { AssetTxFacts } from "../../../chains/asset/facts.ts";
import { consumedBy } from "../../../chains/asset/tx/value.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { AssetPrimaryFacts } from "../facts.ts";
import { primaryChainOf, X_CHAIN } from "../primary-chain.ts";
import { isAffected, type TxEffects } from "../transactions/tx-effects.ts";
import { exportedUtxos } from "./shared-utxos.ts";
import type { Moment, UtxoLedger } from "./utxo-ledger.ts";
import { pendingSpends, utxoRecords } from "./utxo-tables.ts";

export function assetUtxoKeys({ facts }: AssetPrimaryFacts): RowKey[] {
  return facts.txs.flatMap(({ tx, exported }) => [
    ...consumedBy(tx.unsigned).map((input) => rowKey(utxoRecords, { utxoId: utxoIdOf(input) })),
    ...exported.flatMap(({ elements }) => elements.map(({ key }) => rowKey(pendingSpends, { utxoId: key }))),
  ]);
}

export function applyAsset(
  { facts }: AssetPrimaryFacts,
  ledger: UtxoLedger,
  network: NetworkInstance,
  { height, timestamp }: Moment,
): TxEffects[] {
  return [...facts.genesisTxs, ...facts.txs].map(({ txId, tx, produced, imported, exported }: AssetTxFacts): TxEffects => {
    const importedIds = new Set(imported.flatMap(({ keys }) => keys));
    // a genesis transaction may name inputs, but there is nothing to consume
    const inputs = facts.genesisTxs.length > 0 ? [] : consumedBy(tx.unsigned).map(utxoIdOf);
    const consumed = inputs
      .map((id, inputIndex) => ledger.consume(id, inputIndex, txId, { isImport: importedIds.has(id) }))
      .filter(isAffected);
    const own = produced.map(({ utxoId, bytes }) => ledger.create({ utxoId, bytes }));
    const sent = exported.flatMap(({ destination, elements }) => {
      const consumedOn = primaryChainOf(destination, network);
      return consumedOn === undefined ? [] : exportedUtxos(elements).map((utxo) => ledger.create({ ...utxo, consumedOn }));
    });
    return {
      chain: X_CHAIN,
      txId,
      type: tx.unsigned.kind,
      height,
      timestamp,
      consumed,
      produced: [...own, ...sent],
      evmAddresses: [],
    };
  });
}
