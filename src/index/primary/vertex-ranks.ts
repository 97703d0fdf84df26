/**
 * The place of a vertex by ID among those of its height. It moves as others are accepted, so it is in no row: vertices are counted by the
 * first two bytes of their IDs, one row for each byte. IDs are hashes, so hardly two are alike in both; those are few to be read.
 */
import type { Id } from "../../primitives/id.ts";
import type { TableKey } from "../../primitives/table.ts";
import { type RowKey, rowKey, type View } from "../../primitives/view.ts";
import type { StoreReader } from "../../store/store.ts";
import { primaryVertices, vertexCounts } from "./transaction-tables.ts";

export interface VertexPlace {
  readonly height: bigint;
  readonly vertexId: Id;
}

type Count = { readonly byte: number; readonly count: number };

/** Row 0 counts by the first byte; the others count by the second byte those of one first byte. */
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

/** In the order of the bytes. */
function increased(counts: readonly Count[], byte: number): Count[] {
  const at = counts.findIndex((other) => other.byte >= byte);
  if (at === -1) return [...counts, { byte, count: 1 }];
  const found = counts[at]!;
  return found.byte === byte ? counts.with(at, { byte, count: found.count + 1 }) : counts.toSpliced(at, 0, { byte, count: 1 });
}

/** How many vertices of the height come before each, which must be there itself. */
export async function vertexRanks(places: readonly VertexPlace[], reader: StoreReader): Promise<number[]> {
  const rows = await reader.getMany(vertexCounts, places.flatMap(countKeys));
  return Promise.all(
    places.map(async (place, i) => {
      const [first, second] = [0, 1].map((index) => split(rows[2 * i + index]!.counts, byteOf(place.vertexId, index))) as [Split, Split];
      return first.before + second.before + (second.own === 1 ? 0 : await countAlike(place, second.own, reader));
    }),
  );
}

/** How many are counted under lower bytes, and under the byte itself. */
interface Split {
  readonly before: number;
  readonly own: number;
}

function split(counts: readonly Count[], byte: number): Split {
  const before = counts.reduce((sum, other) => sum + (other.byte < byte ? other.count : 0), 0);
  return { before, own: counts.find((other) => other.byte === byte)!.count };
}

/** Of those whose IDs begin with the same two bytes. */
async function countAlike({ height, vertexId }: VertexPlace, limit: number, reader: StoreReader): Promise<number> {
  const from = { vertexId: vertexId.slice(0, 4).padEnd(vertexId.length, "0") };
  return (await reader.scan(primaryVertices, { prefix: { height }, from, until: { vertexId }, limit })).length;
}
