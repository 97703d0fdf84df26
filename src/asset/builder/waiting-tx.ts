/** A transaction of an asset chain as its mempool sees it: what it claims, what it makes, and what it may build on. */
import type { ChainedTx } from "../../mempool/ancestry.ts";
import type { MempoolTx } from "../../mempool/mempool.ts";
import type { Id } from "../../primitives/id.ts";
import { utxoId } from "../../primitives/utxo-id.ts";
import type { UtxoReference } from "../fields.ts";
import type { SignedTx } from "../tx/signed-tx.ts";

export interface WaitingTx extends MempoolTx, ChainedTx {
  readonly tx: SignedTx;
  /** the transaction's ID, which also names the asset that it creates */
  readonly makes: readonly [Id];
  /** false: it came from the wallet, which verifies nothing, and must be looked at before it goes into a block */
  readonly isVerified: boolean;
}

export function waitingTx(tx: SignedTx, rest: Pick<WaitingTx, "ancestors" | "isVerified">): WaitingTx {
  const imported = tx.unsigned.kind === "ImportTx" ? tx.unsigned.importedInputs : [];
  const inputs = [...spentHere(tx), ...imported].map(({ txId, outputIndex }) => utxoId(txId, outputIndex));
  return { id: tx.id, size: tx.bytes.length, inputs, makes: [tx.id], tx, ...rest };
}

/** The transactions of this chain whose outputs it spends and whose assets it moves. */
export function needsOf(tx: SignedTx): Set<Id> {
  return new Set([...spentHere(tx).map(({ txId }) => txId), ...assetIds(tx)]);
}

function spentHere({ unsigned }: SignedTx): UtxoReference[] {
  const operations = unsigned.kind === "OperationTx" ? unsigned.operations : [];
  return [...unsigned.inputs, ...operations.flatMap(({ inputIds }) => inputIds)];
}

/** An asset is named by the transaction that creates it, which may still be waiting itself. */
function assetIds({ unsigned }: SignedTx): Id[] {
  const named: readonly { readonly assetId: Id }[] = [
    ...unsigned.inputs,
    ...unsigned.outputs,
    ...(unsigned.kind === "OperationTx" ? unsigned.operations : []),
    ...(unsigned.kind === "ExportTx" ? unsigned.exportedOutputs : []),
  ];
  return named.map(({ assetId }) => assetId);
}
