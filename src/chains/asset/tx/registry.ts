/** The transaction types of an asset chain, in the order of their type IDs. */
import { baseTx } from "./base.ts";
import { createAssetTx } from "./create-asset.ts";
import type { TxType } from "./define.ts";
import { exportTx } from "./export.ts";
import { importTx } from "./import.ts";
import { operationTx } from "./operation.ts";
import type { Signed } from "./signed-tx.ts";

export const txTypes = [baseTx, createAssetTx, operationTx, importTx, exportTx] as const;

type Transaction<D> = D extends TxType<infer T> ? T : never;
export type UnsignedTx = Transaction<(typeof txTypes)[number]>;
export type SignedTx = Signed<UnsignedTx>;

const byName = new Map<string, unknown>(txTypes.map((type) => [type.name, type]));

export function txTypeOf(tx: UnsignedTx): TxType<UnsignedTx> {
  return byName.get(tx.kind) as TxType<UnsignedTx>;
}
