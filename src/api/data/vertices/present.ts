/** Presents vertices of the X-chain. */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { assetVertices } from "../../../chains/asset/tables.ts";
import { vertexContents } from "../../../chains/asset/vertex.ts";
import { primaryVertices } from "../../../index/primary/transactions/transaction-tables.ts";
import { vertexRanks } from "../../../index/primary/vertex-ranks.ts";
import type { DataContext } from "../context.ts";
import { X_CHAIN_NUMBER } from "../transactions/asset.ts";
import type { Vertex } from "./schemas.ts";

/** In the order of the IDs; unknown ones are left out. Costs a few rows for each. */
export async function presentVertices(vertexIds: readonly Id[], { reader }: Pick<DataContext, "reader">): Promise<Vertex[]> {
  const rows = await reader.getMany(
    assetVertices,
    vertexIds.map((vertexId) => ({ chain: X_CHAIN_NUMBER, vertexId })),
  );
  const found = vertexIds.flatMap((vertexId, i) => (rows[i] ? [{ vertexId, bytes: rows[i].bytes, ...vertexContents(rows[i].bytes) }] : []));
  const places = found.map(({ height, vertexId }) => ({ height, vertexId }));
  const [accepted, ranks] = await Promise.all([reader.getMany(primaryVertices, places), vertexRanks(places, reader)]);
  return found.map(({ vertexId, bytes, height, parentIds, txIds }, i) => ({
    vertexHash: formatId(vertexId),
    parentHashes: parentIds.map(formatId),
    vertexHeight: Number(height),
    vertexIndex: ranks[i]!,
    vertexTimestamp: Number(accepted[i]!.timestamp),
    txCount: txIds.length,
    transactions: txIds.map(formatId),
    vertexSizeBytes: bytes.length,
  }));
}
