/** Reads the type of a transaction from its row, without its bytes, which may be long. */

import type { Id } from "../../../base/bytes/id.ts";
import { assetTxs } from "../../../chains/asset/tables.ts";
import { txTypes } from "../../../chains/asset/tx/registry.ts";
import { atomicTxs } from "../../../chains/atomic/tables.ts";
import { platformTxs } from "../../../chains/platform/tables.ts";
import { definitionWithId } from "../../../chains/platform/tx/registry.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain } from "../../../index/primary/primary-chain.ts";
import type { StoreReader } from "../../../store/store.ts";
import { X_CHAIN_NUMBER } from "./asset.ts";

/** An atomic transaction begins with the codec version, two bytes. */
const TYPE_ID_AT = 2;
const ATOMIC_TYPES = ["ImportTx", "ExportTx"] as const;

/** The node's names of the types, in the order of the IDs; undefined: the chain has no such transaction. Costs one row for each. */
export async function readTransactionTypes(
  chain: PrimaryChain,
  txIds: readonly Id[],
  reader: StoreReader,
): Promise<({ readonly type: string; readonly height: bigint } | undefined)[]> {
  const rows = await readTransactions(chain, txIds, reader);
  return rows.map((row) => row && { type: typeName(chain, row.typeId), height: row.height });
}

async function readTransactions(
  chain: PrimaryChain,
  txIds: readonly Id[],
  reader: StoreReader,
): Promise<({ readonly typeId: number; readonly height: bigint } | undefined)[]> {
  const keys = txIds.map((txId) => ({ txId }));
  if (chain === P_CHAIN) return reader.getMany(platformTxs, keys);
  if (chain === C_CHAIN) {
    const rows = await reader.getMany(atomicTxs, keys);
    return rows.map((row) => row && { typeId: typeIdOf(row.bytes), height: row.height });
  }
  return reader.getMany(
    assetTxs,
    keys.map((key) => ({ chain: X_CHAIN_NUMBER, ...key })),
  );
}

function typeIdOf({ buffer, byteOffset }: Uint8Array): number {
  return Buffer.from(buffer, byteOffset).readUInt32BE(TYPE_ID_AT);
}

function typeName(chain: PrimaryChain, typeId: number): string {
  if (chain === P_CHAIN) return definitionWithId(typeId).name;
  if (chain === C_CHAIN) return ATOMIC_TYPES[typeId]!;
  return txTypes.find((type) => type.typeId === typeId)!.name;
}
