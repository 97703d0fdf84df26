/** The transaction types of an asset chain, in the order of their type IDs. */
import { type BaseTx, baseTx } from "./base.ts";
import { type CreateAssetTx, createAssetTx } from "./create-asset.ts";
import type { TxType } from "./define.ts";
import { type ExportTx, exportTx } from "./export.ts";
import { type ImportTx, importTx } from "./import.ts";
import { type OperationTx, operationTx } from "./operation.ts";

export type UnsignedTx = BaseTx | CreateAssetTx | OperationTx | ImportTx | ExportTx;

export const txTypes = [baseTx, createAssetTx, operationTx, importTx, exportTx] as const;

const byName = new Map<string, unknown>(txTypes.map((type) => [type.name, type]));

export function txTypeOf(tx: UnsignedTx): TxType<UnsignedTx> {
  return byName.get(tx.kind) as TxType<UnsignedTx>;
}
