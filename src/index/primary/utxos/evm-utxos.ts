/** What atomic transactions of the C-chain do to UTXOs, all of which are in shared memory. */

import type { Id } from "../../../base/bytes/id.ts";
import { utxoId, utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { encodeAll } from "../../../base/codec/codec.ts";
import { type RowKey, rowKey } from "../../../base/table/view.ts";
import { type AtomicTx, exportedUtxo } from "../../../chains/atomic/tx.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { EvmPrimaryFacts } from "../facts.ts";
import { C_CHAIN, primaryChainOf } from "../primary-chain.ts";
import { type DecodedUtxo, isAffected, type TxEffects } from "../transactions/tx-effects.ts";
import type { UtxoLedger } from "./utxo-ledger.ts";
import { pendingSpends, utxoRecords } from "./utxo-tables.ts";

export function evmUtxoKeys({ facts }: EvmPrimaryFacts): RowKey[] {
  return facts.atomicTxs.flatMap((tx) => [
    ...importedIds(tx).map((utxoId) => rowKey(utxoRecords, { utxoId })),
    ...exportedIds(tx).map((utxoId) => rowKey(pendingSpends, { utxoId })),
  ]);
}

export function applyEvm({ facts }: EvmPrimaryFacts, ledger: UtxoLedger, network: NetworkInstance): TxEffects[] {
  const { height, timestamp } = facts;
  return facts.atomicTxs.map((tx): TxEffects => {
    const { id: txId, unsigned } = tx;
    const accounts = unsigned.kind === "ImportTx" ? unsigned.outputs : unsigned.inputs;
    return {
      chain: C_CHAIN,
      txId,
      type: unsigned.kind,
      height,
      timestamp,
      consumed: importedIds(tx)
        .map((id, inputIndex) => ledger.consume(id, inputIndex, txId, { isImport: true }))
        .filter(isAffected),
      produced: createExports(tx, ledger, network),
      evmAddresses: [...new Set(accounts.map(({ address }) => address))],
    };
  });
}

function createExports({ id: txId, unsigned }: AtomicTx, ledger: UtxoLedger, network: NetworkInstance): DecodedUtxo[] {
  if (unsigned.kind === "ImportTx") return [];
  const consumedOn = primaryChainOf(unsigned.destinationChain, network);
  if (consumedOn === undefined) return [];
  return unsigned.exportedOutputs.map(({ assetId, output }, outputIndex) => {
    const bytes = encodeAll(exportedUtxo, { txId, outputIndex, assetId, output });
    return ledger.create({ utxoId: utxoId(txId, outputIndex), bytes, consumedOn });
  });
}

function importedIds({ unsigned }: AtomicTx): Id[] {
  return unsigned.kind === "ImportTx" ? unsigned.importedInputs.map(utxoIdOf) : [];
}

function exportedIds({ id, unsigned }: AtomicTx): Id[] {
  return unsigned.kind === "ExportTx" ? unsigned.exportedOutputs.map((_, outputIndex) => utxoId(id, outputIndex)) : [];
}
