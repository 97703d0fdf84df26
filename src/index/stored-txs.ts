/** Reads transactions of P and X with their bytes. Each costs its row and, if it is in a block, the block's row once. */
import { assetTxs } from "../asset/tables.ts";
import { platformTxs } from "../platform/tables.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../primitives/id.ts";
import { cutOut, type StoredTx } from "../primitives/stored-tx.ts";
import type { TableValue } from "../primitives/table.ts";
import type { StoreReader } from "../store/store.ts";
import { blocks } from "./tables.ts";

type PlatformTx = TableValue<typeof platformTxs>;
type AssetTx = TableValue<typeof assetTxs>;

interface Placed extends StoredTx {
  readonly height: bigint;
}

/** In the order of the IDs; undefined where there is no transaction. `bytes` includes the codec version. */
export async function readPlatformTxs(reader: StoreReader, txIds: readonly Id[]): Promise<(PlatformTx | undefined)[]> {
  const rows = await reader.getMany(
    platformTxs,
    txIds.map((txId) => ({ txId })),
  );
  return withBytes(reader, PLATFORM_CHAIN_ID, rows);
}

/** The same of an asset chain, by its number and its ID. */
export async function readAssetTxs(
  reader: StoreReader,
  { chain, chainId }: { readonly chain: number; readonly chainId: Id },
  txIds: readonly Id[],
): Promise<(AssetTx | undefined)[]> {
  const rows = await reader.getMany(
    assetTxs,
    txIds.map((txId) => ({ chain, txId })),
  );
  return withBytes(reader, chainId, rows);
}

/** The bytes of one transaction, with codec version. */
export async function bytesOf(reader: StoreReader, chainId: Id, row: Placed): Promise<Uint8Array> {
  const [whole] = await withBytes(reader, chainId, [row]);
  return whole!.bytes;
}

/** Adds the bytes to rows of one chain that lack them. */
export async function withBytes<R extends Placed>(
  reader: StoreReader,
  chainId: Id,
  rows: readonly (R | undefined)[],
): Promise<(R | undefined)[]> {
  const heights = [...new Set(rows.flatMap((row) => (row !== undefined && row.size > 0 ? [row.height] : [])))];
  if (heights.length === 0) return [...rows];
  const found = await reader.getMany(
    blocks,
    heights.map((height) => ({ chainId, height })),
  );
  const byHeight = new Map(heights.map((height, i) => [height, found[i]!.bytes]));
  return rows.map((row) => (row === undefined || row.size === 0 ? row : { ...row, bytes: cutOut(row, byHeight.get(row.height)!) }));
}
