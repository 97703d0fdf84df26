/** UTXOs that chains export to shared memory, and what chains that are not executed here exported or imported. */

import type { Id } from "../../../base/bytes/id.ts";
import { type RowKey, rowKey } from "../../../base/table/view.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { SharedMemoryFacts } from "../facts.ts";
import { primaryChainOf } from "../primary-chain.ts";
import type { UtxoLedger } from "./utxo-ledger.ts";
import { pendingSpends, utxoRecords } from "./utxo-tables.ts";

const VERSION_BYTES = 2;

/** Elements begin with the codec version, records do not. */
export function exportedUtxos(elements: readonly { readonly key: Id; readonly bytes: Uint8Array }[]): { utxoId: Id; bytes: Uint8Array }[] {
  return elements.map(({ key, bytes }) => ({ utxoId: key, bytes: bytes.subarray(VERSION_BYTES) }));
}

export function sharedMemoryKeys({ elements, removed }: SharedMemoryFacts): RowKey[] {
  return [
    ...elements.map(({ key }) => rowKey(pendingSpends, { utxoId: key })),
    ...removed.map((utxoId) => rowKey(utxoRecords, { utxoId })),
  ];
}

export function applySharedMemory(facts: SharedMemoryFacts, ledger: UtxoLedger, network: NetworkInstance): void {
  const createdOn = primaryChainOf(facts.source, network);
  const consumedOn = primaryChainOf(facts.destination, network);
  if (createdOn === undefined || consumedOn === undefined) return;
  for (const utxo of exportedUtxos(facts.elements)) ledger.create({ ...utxo, createdOn, consumedOn });
  for (const utxoId of facts.removed) ledger.consumeUnseen(utxoId, consumedOn);
}
