/** Vertices of the X-chain in answers. */
import { assetVertices } from "../../asset/tables.ts";
import { vertexContents } from "../../asset/vertex.ts";
import { primaryVertices } from "../../index/primary/transaction-tables.ts";
import { formatId } from "../../primitives/cb58.ts";
import type { Id } from "../../primitives/id.ts";
import { scanAll } from "../../store/store.ts";
import type { DataContext } from "../context.ts";
import { X_CHAIN_NUMBER } from "../transactions/asset.ts";
import type { Vertex } from "./schemas.ts";

/** In the order of the IDs; those of no vertex are left out. Costs as many rows as there are vertices of their heights. */
export async function presentVertices(vertexIds: readonly Id[], { reader }: Pick<DataContext, "reader">): Promise<Vertex[]> {
  const rows = await reader.getMany(
    assetVertices,
    vertexIds.map((vertexId) => ({ chain: X_CHAIN_NUMBER, vertexId })),
  );
  const levels = new Map<bigint, Promise<Level>>();
  const vertices = rows.map(async (row, i): Promise<Vertex | undefined> => {
    if (row === undefined) return undefined;
    const vertexId = vertexIds[i]!;
    const { height, parentIds, txIds } = vertexContents(row.bytes);
    let level = levels.get(height);
    if (level === undefined) {
      level = readLevel(height, reader);
      levels.set(height, level);
    }
    const { index, timestamp } = (await level).get(vertexId)!;
    return {
      vertexHash: formatId(vertexId),
      parentHashes: parentIds.map(formatId),
      vertexHeight: Number(height),
      vertexIndex: index,
      vertexTimestamp: Number(timestamp),
      txCount: txIds.length,
      transactions: txIds.map(formatId),
      vertexSizeBytes: row.bytes.length,
    };
  });
  return (await Promise.all(vertices)).filter((vertex) => vertex !== undefined);
}

/** Vertices of one height by ID. */
type Level = ReadonlyMap<Id, { readonly index: number; readonly timestamp: bigint }>;

/** Few: they are what was issued at the same time. */
async function readLevel(height: bigint, reader: DataContext["reader"]): Promise<Level> {
  const level = new Map<Id, { index: number; timestamp: bigint }>();
  for await (const { key, value } of scanAll(reader, primaryVertices, { height })) {
    level.set(key.vertexId, { index: level.size, timestamp: value.timestamp });
  }
  return level;
}
