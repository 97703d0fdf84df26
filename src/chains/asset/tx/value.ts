/** What transactions consume and produce, derived from their definitions. */
import type { Id } from "../../../base/bytes/id.ts";
import type { UtxoReference } from "../fields.ts";
import type { Operation, Utxo } from "../transfer.ts";
import type { Export, Import, Produced } from "./define.ts";
import { type SignedTx, txTypeOf, type UnsignedTx } from "./registry.ts";

export function operationsOf(tx: UnsignedTx): readonly Operation[] {
  return txTypeOf(tx).operations?.(tx) ?? [];
}

export function importOf(tx: UnsignedTx): Import | undefined {
  return txTypeOf(tx).imported?.(tx);
}

export function exportOf(tx: UnsignedTx): Export | undefined {
  return txTypeOf(tx).exported?.(tx);
}

/** The UTXOs of this chain that it consumes. */
export function spentHere(tx: UnsignedTx): readonly UtxoReference[] {
  return [...tx.inputs, ...operationsOf(tx).flatMap(({ inputIds }) => inputIds)];
}

/** All inputs in the order of the credentials: the transaction's own, then those of operations or imports. */
export function consumedBy(tx: UnsignedTx): readonly UtxoReference[] {
  return [...spentHere(tx), ...(importOf(tx)?.importedInputs ?? [])];
}

/** What it produces on this chain, by index (chain-formats 5.4). */
export function producedHere({ id, unsigned }: Pick<SignedTx, "id" | "unsigned">): readonly Produced[] {
  return [...unsigned.outputs, ...(txTypeOf(unsigned).produced?.(unsigned, id) ?? [])];
}

/** The exported outputs as UTXOs of this transaction. Their indices follow those of its own outputs. */
export function exportedUtxos({ id: txId, unsigned }: SignedTx): Utxo[] {
  const first = unsigned.outputs.length;
  return (exportOf(unsigned)?.exportedOutputs ?? []).map(({ assetId, output }, i) => ({ txId, outputIndex: first + i, assetId, output }));
}

/** Every asset that it moves. */
export function assetsOf(tx: UnsignedTx): Set<Id> {
  const named = [
    ...[...tx.inputs, ...tx.outputs, ...operationsOf(tx)],
    ...[...(importOf(tx)?.importedInputs ?? []), ...(exportOf(tx)?.exportedOutputs ?? [])],
  ];
  return new Set(named.map(({ assetId }) => assetId));
}
