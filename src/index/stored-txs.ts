/** Reads transactions of P and X with their bytes. Each costs its row and, if it is in a block, its part of the block's row. */

import { type Id, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import { type StoredTx, type TableValue, withVersion } from "../base/table/table.ts";
import { type Awaitable, andThen } from "../base/work/awaitable.ts";
import { assetTxs } from "../chains/asset/tables.ts";
import { platformTxs } from "../chains/platform/tables.ts";
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
export function bytesOf(reader: StoreReader, chainId: Id, { height, offset, size, bytes }: Placed): Awaitable<Uint8Array> {
  if (size === 0) return bytes;
  const part = { key: { chainId, height }, offset, size };
  return andThen(reader.getParts(blocks, "bytes", [part]), ([found]) => withVersion(found!));
}

/** Adds the bytes to rows of one chain that lack them. */
export async function withBytes<R extends Placed>(
  reader: StoreReader,
  chainId: Id,
  rows: readonly (R | undefined)[],
): Promise<(R | undefined)[]> {
  const places = rows.flatMap((row, i) => (row !== undefined && row.size > 0 ? [{ i, ...row }] : []));
  if (places.length === 0) return [...rows];
  const keys = new Map(places.map(({ height }) => [height, { chainId, height }]));
  // those of one block together, so that it is read once
  places.sort((a, b) => (a.height < b.height ? -1 : a.height > b.height ? 1 : 0));
  const parts = await reader.getParts(
    blocks,
    "bytes",
    places.map(({ height, offset, size }) => ({ key: keys.get(height)!, offset, size })),
  );
  const whole = [...rows];
  for (const [n, { i }] of places.entries()) whole[i] = { ...rows[i]!, bytes: withVersion(parts[n]!) };
  return whole;
}
