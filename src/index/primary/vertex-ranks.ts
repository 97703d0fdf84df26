/**
 * The rank of a vertex among those of its height, by ID. It changes as others are accepted, so no row stores it. Vertices are counted by
 * the first two bytes of their IDs, one row for each byte. IDs are hashes, so few vertices share both bytes; those are read.
 */
import type { Id } from "../../base/bytes/id.ts";
import type { TableKey } from "../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../base/table/view.ts";
import type { StoreReader } from "../../store/store.ts";
import { primaryVertices, vertexCounts } from "./transactions/transaction-tables.ts";

interface VertexPlace {
  readonly height: bigint;
  readonly vertexId: Id;
}

type Count = { readonly byte: number; readonly count: number };

/** Row 0 counts vertices by the first byte. Each other row counts those with the same first byte by the second byte. */
function countKeys({ height, vertexId }: VertexPlace): [TableKey<typeof vertexCounts>, TableKey<typeof vertexCounts>] {
  return [
    { height, row: 0 },
    { height, row: 1 + byteOf(vertexId, 0) },
  ];
}

function byteOf(vertexId: Id, index: number): number {
  return Number.parseInt(vertexId.slice(2 * index, 2 * index + 2), 16);
}

export function vertexCountKeys(place: VertexPlace): RowKey[] {
  return countKeys(place).map((key) => rowKey(vertexCounts, key));
}

/** Counts a new vertex. */
export function countVertex(view: View, place: VertexPlace): void {
  for (const [index, key] of countKeys(place).entries()) {
    const counts = view.get(vertexCounts, key)?.counts ?? [];
    view.put(vertexCounts, key, { counts: increased(counts, byteOf(place.vertexId, index)) });
  }
}

/** Returns the counts with one more for `byte`, sorted by byte. */
function increased(counts: readonly Count[], byte: number): Count[] {
  const at = counts.findIndex((other) => other.byte >= byte);
  if (at === -1) return [...counts, { byte, count: 1 }];
  const found = counts[at]!;
  return found.byte === byte ? counts.with(at, { byte, count: found.count + 1 }) : counts.toSpliced(at, 0, { byte, count: 1 });
}

/** How many vertices of the height come before each of `places`, which must be accepted vertices. */
export async function vertexRanks(places: readonly VertexPlace[], reader: StoreReader): Promise<number[]> {
  const rows = await reader.getMany(vertexCounts, places.flatMap(countKeys));
  return Promise.all(
    places.map(async (place, i) => {
      const [first, second] = [0, 1].map((index) => split(rows[2 * i + index]!.counts, byteOf(place.vertexId, index))) as [Split, Split];
      return first.before + second.before + (second.own === 1 ? 0 : await countAlike(place, second.own, reader));
    }),
  );
}

/** Vertices with lower bytes, and with this byte. */
interface Split {
  readonly before: number;
  readonly own: number;
}

function split(counts: readonly Count[], byte: number): Split {
  const before = counts.reduce((sum, other) => sum + (other.byte < byte ? other.count : 0), 0);
  return { before, own: counts.find((other) => other.byte === byte)!.count };
}

/** How many of the vertices with the same first two bytes come before this one. */
async function countAlike({ height, vertexId }: VertexPlace, limit: number, reader: StoreReader): Promise<number> {
  const from = { vertexId: vertexId.slice(0, 4).padEnd(vertexId.length, "0") };
  return (await reader.scan(primaryVertices, { prefix: { height }, from, until: { vertexId }, limit })).length;
}
