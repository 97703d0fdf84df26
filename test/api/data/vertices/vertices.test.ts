import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { Position } from "../../../../src/api/data/context.ts";
import { getVertex } from "../../../../src/api/data/vertices/get-vertex.ts";
import { listLatestVertices } from "../../../../src/api/data/vertices/list-latest-vertices.ts";
import { listVerticesByHeight } from "../../../../src/api/data/vertices/list-vertices-by-height.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { openStore } from "../../../../src/store/open.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { Dice } from "../../../index/primary/staking/staking-world.ts";
import { someId } from "../../../index/primary/transactions/transaction-world.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { type ModelVertex, VertexWorld } from "../../../index/primary/vertex-world.ts";
import { type Asked, ask, walk } from "../staking/request.ts";

const asked: Asked = { network, clock: 0n, chain: X_CHAIN };
const directories: string[] = [];
const worlds: VertexWorld[] = [];

async function newWorld(): Promise<VertexWorld> {
  const directory = mkdtempSync(join(tmpdir(), "firn-vertices-"));
  directories.push(directory);
  const world = new VertexWorld(await openStore({ directory, mode: "write" }));
  worlds.push(world);
  return world;
}

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.store.close();
});

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** Few heights, so that most have several vertices, which are accepted in several runs. */
async function grow(world: VertexWorld, dice: Dice, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) await world.accept(Array.from({ length: dice.roll(8) }, () => BigInt(dice.roll(6))));
}

function json({ vertices }: VertexWorld, { vertexId, height, parentIds, txIds, time, size }: ModelVertex) {
  return {
    vertexHash: formatId(vertexId),
    parentHashes: parentIds.map(formatId),
    vertexHeight: Number(height),
    vertexIndex: vertices.filter((other) => other.height === height && other.vertexId < vertexId).length,
    vertexTimestamp: Number(time),
    txCount: txIds.length,
    transactions: txIds.map(formatId),
    vertexSizeBytes: size,
  };
}

function ofHeight(world: VertexWorld, height: number): ModelVertex[] {
  return world.vertices.filter((vertex) => vertex.height === BigInt(height)).sort((a, b) => (a.vertexId < b.vertexId ? -1 : 1));
}

describe("vertices", () => {
  test.each(["1", "3", "100"])("come by acceptance, and of a height by ID, in pages of %s", async (pageSize) => {
    const world = await newWorld();
    await grow(world, new Dice(5), 20);
    const newestFirst = world.vertices.toReversed().map((vertex) => json(world, vertex));
    expect(newestFirst.length).toBeGreaterThan(40);
    expect(await walk(listLatestVertices, world.store, asked, { pageSize }, "vertices")).toEqual(newestFirst);
    for (let height = 0; height < 7; height++) {
      const ascending = ofHeight(world, height).map((vertex) => json(world, vertex));
      const query = { vertexHeight: `${height}`, pageSize };
      expect(await walk(listVerticesByHeight, world.store, asked, query, "vertices")).toEqual(ascending.toReversed());
      expect(await walk(listVerticesByHeight, world.store, asked, { ...query, sortOrder: "asc" }, "vertices")).toEqual(ascending);
    }
  });

  test("are found by their IDs; others are not", async () => {
    const world = await newWorld();
    await grow(world, new Dice(6), 5);
    for (const vertex of world.vertices) {
      const { body } = await ask(getVertex, world.store, asked, {}, { params: { vertexHash: formatId(vertex.vertexId) } });
      expect(body).toEqual(json(world, vertex));
    }
    const get = (vertexHash: string) => ask(getVertex, world.store, asked, {}, { params: { vertexHash } });
    await expect(get(formatId(someId("no vertex")))).rejects.toMatchObject({ status: 404 });
    await expect(get("12")).rejects.toMatchObject({ status: 400 });
  });

  test("are shown exactly once in a walk while others of the same heights are accepted", async () => {
    const world = await newWorld();
    const dice = new Dice(7);
    await grow(world, dice, 12);
    for (const [route, query] of [
      [listLatestVertices, {}],
      [listVerticesByHeight, { vertexHeight: "2" }],
      [listVerticesByHeight, { vertexHeight: "2", sortOrder: "asc" }],
    ] as const) {
      const known = route === listLatestVertices ? world.vertices.toReversed() : ofHeight(world, 2);
      const before = known.map(({ vertexId }) => formatId(vertexId));
      if ("vertexHeight" in query && !("sortOrder" in query)) before.reverse();
      const seen: string[] = [];
      let after: Position | undefined;
      do {
        const { body, next } = await ask(route, world.store, asked, { ...query, pageSize: "2" }, { after });
        seen.push(...(body.vertices as { vertexHash: string }[]).map(({ vertexHash }) => vertexHash));
        after = next;
        await grow(world, dice, seen.length < 12 ? 1 : 0);
      } while (after !== undefined);
      expect(seen.filter((vertexHash) => before.includes(vertexHash))).toEqual(before);
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  test("cost a few rows each, also where ten thousand have the same height", async () => {
    const world = await newWorld();
    const COUNT = 10_000;
    for (let first = 0; first < COUNT; first += 2000) await world.accept(Array.from({ length: 2000 }, () => 5n));
    const crowd = ofHeight(world, 5);
    // some are alike in the bytes that are counted
    expect(new Set(crowd.map(({ vertexId }) => vertexId.slice(0, 4))).size).toBeLessThan(COUNT - 100);
    const rank = new Map(crowd.map(({ vertexId }, i) => [formatId(vertexId), i]));
    for (const pageSize of [1, 10, 100]) {
      for (const [route, query, positions] of [
        [listLatestVertices, {}, [5000n, 3n].map((index) => ({ index }))],
        [listVerticesByHeight, { vertexHeight: "5" }, [crowd[5000]!, crowd[3]!].map(({ vertexId }) => ({ vertexId }))],
        [listVerticesByHeight, { vertexHeight: "5", sortOrder: "asc" }, [crowd[5000]!, crowd[9990]!].map(({ vertexId }) => ({ vertexId }))],
      ] as const) {
        for (const after of [undefined, ...positions]) {
          const reader = new CountingReader(world.store);
          const { body } = await ask(route, reader, asked, { ...query, pageSize: `${pageSize}` }, { after });
          const vertices = body.vertices as { vertexHash: string; vertexIndex: number }[];
          expect(vertices.map(({ vertexIndex }) => vertexIndex)).toEqual(vertices.map(({ vertexHash }) => rank.get(vertexHash)));
          expect(reader.reads).toBeLessThanOrEqual(7 * (pageSize + 1));
        }
      }
    }
  });
});
