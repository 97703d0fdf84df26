/**
 * A network whose X-chain began as a DAG is followed from an empty store: the vertices come from a node's Index API. At level `replay` it is
 * all that was recorded; at level `full`, what does not wait for exports that were not recorded.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import type { RuleLevel } from "../../../src/base/errors/rule-level.ts";
import { assetUtxos } from "../../../src/chains/asset/tables.ts";
import { followPrimary } from "../../../src/ingest/following/primary-network.ts";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { type BatchLimits, DEFAULT_BATCH } from "../../../src/ingest/ingester.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import type { ChainsState } from "../../../src/ingest/steps.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { type NodeSourceOptions, openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import type { LiveSource, Source } from "../../../src/sources/source.ts";
import { openStore } from "../../../src/store/open.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { withoutOrder } from "../../ingest/order-free-rows.ts";
import { delay } from "../../patience.ts";
import { drawn } from "../../share.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { dagNetwork, stopVertex } from "../upstream/dag-network.ts";
import { comparable } from "../upstream/fault-run.ts";
import { FaultyProxy } from "../upstream/faulty-proxy.ts";
import { lastHeights, ReplayNode } from "../upstream/replay-node.ts";
import { type ReplayedNetwork, type ReplayedVertex, readReplayedNetwork } from "../upstream/replayed-network.ts";
import { withoutContainers } from "./bare-blocks.ts";

let logged: { upstream?: string; reason?: string }[] = [];
const log = pino({ level: "error" }, { write: (line: string) => void logged.push(JSON.parse(line)) });
const stopping: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  logged = [];
  for (const stop of stopping.splice(0).reverse()) await stop();
});

interface Recorded {
  readonly folder: string;
  readonly archive: Source;
  readonly replayed: ReplayedNetwork;
}

async function recordedDag({ isShort = true, isReversed = false } = {}): Promise<Recorded> {
  const folder = dagNetwork(scratchDirectory(), { isShort, isReversed });
  return { folder, archive: await openArchive({ path: folder, instance: networkInstance }), replayed: readReplayedNetwork(folder) };
}

async function nodeOf(recording: ReplayedNetwork): Promise<ReplayNode> {
  const node = await ReplayNode.start({ recording });
  stopping.push(() => node.stop());
  node.releaseAll();
  return node;
}

type Options = Pick<Partial<NodeSourceOptions>, "reading" | "until">;

interface Following extends Options {
  readonly directory: string;
  readonly level?: RuleLevel;
  readonly batch?: BatchLimits;
  /** stops after so many commits */
  readonly commits?: number;
}

function sourceOf({ network, networkFile }: Source, urls: readonly string[], directory: string, options: Options = {}): LiveSource {
  const vertexDirectory = join(directory, "vertices");
  const source = openNodeSource({ network, networkFile, upstreams: urls, log, vertexDirectory, ...options });
  stopping.push(() => source.close());
  return source;
}

/** Follows to the last recorded block, or until so many commits are made. */
async function follow(archive: Source, nodes: readonly ReplayNode[], following: Following): Promise<LiveSource> {
  const { directory, level = "full", batch = DEFAULT_BATCH, commits = Number.POSITIVE_INFINITY, ...options } = following;
  const until = new Map(Object.entries(nodes[0]!.lastHeights));
  const source = sourceOf(
    archive,
    nodes.map(({ url }) => url),
    directory,
    { until, ...options },
  );
  const store = await openStore({ directory, mode: "write", network: archive.network, isTemporary: true });
  const stop = new AbortController();
  let left = commits;
  const onCommit = () => {
    if (--left === 0) stop.abort();
  };
  try {
    await ingestSource({ store, source, level, limits: batch, signal: stop.signal, onCommit });
  } finally {
    await store.close();
  }
  return source;
}

async function imported(source: Source, level: RuleLevel = "full"): Promise<Map<string, string>> {
  const directory = scratchDirectory();
  const store = await openStore({ directory, mode: "write", network: source.network, isTemporary: true });
  await ingestSource({ store, source, level });
  await store.close();
  return withoutOrder(await storeRows(directory));
}

async function expectRows(directory: string, expected: Map<string, string>): Promise<void> {
  expect(firstDifference(withoutOrder(await storeRows(directory)), expected)?.slice(0, 300)).toBeUndefined();
}

function tableOf(key: string): number {
  return Number.parseInt(key.slice(0, 4), 16);
}

describe("a node with the vertices gives an empty store the rows of the import", () => {
  test("with every signature verified", async () => {
    const { archive, replayed } = await recordedDag();
    const directory = scratchDirectory();
    await follow(archive, [await nodeOf(replayed)], { directory });
    await expectRows(directory, await imported(archive));
  });

  test("of all that was recorded: its state, at the level that does not wait for the exports of other chains", async () => {
    const { archive, replayed } = await recordedDag({ isShort: false });
    const directory = scratchDirectory();
    await follow(archive, [await nodeOf(replayed)], { directory, level: "replay" });
    const isState = (table: number) => table >= 100 && table < 200;
    const state = (rows: ReadonlyMap<string, string>) => new Map([...rows].filter(([key]) => isState(tableOf(key))));
    expect(firstDifference(state(await storeRows(directory)), state(await imported(archive, "replay")))).toBeUndefined();
  });

  test("whose blocks are read by height", async () => {
    const { archive, replayed } = await recordedDag();
    const directory = scratchDirectory();
    await follow(archive, [await nodeOf(replayed)], { directory, reading: "height" });
    await expectRows(directory, await imported(withoutContainers(archive)));
  });

  test("whose transactions spend what later vertices contain: the state is that of the usual order", async () => {
    const { archive, replayed } = await recordedDag({ isReversed: true });
    const directory = scratchDirectory();
    await follow(archive, [await nodeOf(replayed)], { directory });
    await expectRows(directory, await imported(archive));
    const utxos = (rows: ReadonlyMap<string, string>) => [...rows.keys()].filter((key) => tableOf(key) === assetUtxos.id);
    expect(utxos(await storeRows(directory))).toEqual(utxos(await imported((await recordedDag()).archive)));
  });

  test.each(drawn("orders of vertices", [false, true], 1))(
    "wherever it is stopped and started again, and asks no vertex twice (reversed: %s)",
    async (isReversed) => {
      const { archive, replayed } = await recordedDag({ isReversed });
      const [directory, node] = [scratchDirectory(), await nodeOf(replayed)];
      const batch = { ...DEFAULT_BATCH, blocks: 1 };
      let ranges = 0;
      node.fault = ({ path, calls: [call] }) => {
        if (path === "/ext/index/X/vtx" && call!.method === "index.getContainerRange") ranges++;
        return undefined;
      };
      for (let commits = 0; commits < 8; commits++) await follow(archive, [node], { directory, batch, commits: 2 });
      await follow(archive, [node], { directory, batch });
      await expectRows(directory, await imported(archive));
      expect(ranges).toBe(1);
    },
  );

  test("and nothing of them is left in its directory", async () => {
    const { archive, replayed } = await recordedDag();
    const [directory, node] = [scratchDirectory(), await nodeOf(replayed)];
    await follow(archive, [node], { directory });
    expect(existsSync(join(directory, "vertices"))).toBe(true);
    node.hasIndex = false;
    await follow(archive, [node], { directory });
    expect(existsSync(join(directory, "vertices"))).toBe(false);
  });
});

describe("a node that lies about the vertices is named, and another one is used:", () => {
  const changed = (vertices: readonly ReplayedVertex[], at: number, change: (bytes: Buffer) => void): ReplayedVertex[] => {
    const bytes = Buffer.from(vertices[at]!.bytes);
    change(bytes);
    return vertices.with(at, { id: formatId(sha256Hex(bytes)), bytes }) as ReplayedVertex[];
  };
  const FIRST_PARENT = 2 + 32 + 8 + 4 + 4;
  const lies: Record<string, [(vertices: readonly ReplayedVertex[]) => ReplayedVertex[], RegExp]> = {
    "a byte of a transaction is another one": [
      (vertices) => changed(vertices, 5, (bytes) => bytes.writeUInt8(bytes.at(-1)! ^ 1, bytes.length - 1)),
      /its vertex 5 is not an ancestor of the stop vertex/,
    ],
    "its bytes are not those of its ID": [
      (vertices) =>
        changed(vertices, 5, (bytes) => bytes.writeUInt8(bytes.at(-1)! ^ 1, bytes.length - 1)).with(5, {
          id: vertices[5]!.id,
          bytes: Buffer.from(vertices[4]!.bytes),
        }),
      /vertex 5 has another ID than its bytes/,
    ],
    "one is missing": [(vertices) => vertices.toSpliced(7, 1), /its vertices lack \w+; its Index API must have been on/],
    "the first ones are missing": [(vertices) => vertices.slice(2), /its vertices lack \w+; its Index API must have been on/],
    "there is one more": [
      (vertices) => [...vertices.slice(0, 4), ...changed(vertices, 3, (bytes) => bytes.writeUInt8(7, 41)).slice(3)],
      /its vertex 4 is not an ancestor of the stop vertex/,
    ],
    "one comes twice": [(vertices) => vertices.toSpliced(3, 0, vertices[2]!), /its vertex 2 is not an ancestor of the stop vertex/],
    "a parent is unknown": [
      (vertices) => changed(vertices, 9, (bytes) => bytes.fill(0xaa, FIRST_PARENT, FIRST_PARENT + 32)),
      /its vertex 9 is not an ancestor of the stop vertex/,
    ],
    "a child comes before its parent": [
      (vertices) => [...vertices.slice(0, 6), vertices[7]!, vertices[6]!, ...vertices.slice(8)],
      /its vertices lack \w+; its Index API must have been on/,
    ],
    "the stop vertex is another one": [
      (vertices) => {
        const bytes = stopVertex(vertices[0]!.bytes.subarray(2, 34), [sha256Hex(vertices.at(-2)!.bytes)], 99n);
        return [...vertices.slice(0, -1), { id: formatId(sha256Hex(bytes)), bytes }];
      },
      /its last vertex is \w+, but the DAG ended with \w+/,
    ],
    "the stop vertex is missing": [(vertices) => vertices.slice(0, -1), /its last vertex is \w+, but the DAG ended with \w+/],
  };

  test.each(drawn("lies about vertices", Object.keys(lies), 3))("%s", async (name) => {
    const [lie, reason] = lies[name]!;
    const { archive, replayed } = await recordedDag();
    const [liar, honest] = [await nodeOf({ ...replayed, vertices: lie(replayed.vertices) }), await nodeOf(replayed)];
    const directory = scratchDirectory();
    await follow(archive, [liar, honest], { directory });
    expect(logged).toMatchObject([{ upstream: liar.url, reason: expect.stringMatching(reason) }]);
    await expectRows(directory, await imported(archive));
  });

  test("alone, it gives nothing, and the problem names what is wrong", async () => {
    const { archive, replayed } = await recordedDag();
    const liar = await nodeOf({ ...replayed, vertices: replayed.vertices.slice(2) });
    const directory = scratchDirectory();
    const source = sourceOf(archive, [liar.url], directory);
    const stop = new AbortController();
    const given: unknown[] = [];
    const reading = (async () => {
      const nothing = { heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n };
      for await (const run of source.items(nothing, { signal: stop.signal })) given.push(...run);
    })();
    await expect
      .poll(() => source.status().problem)
      .toMatch(/^X-chain: the vertices that it began with are read first; .* its vertices lack/);
    stop.abort();
    await reading;
    expect(given).toEqual([]);
  });
});

describe("where no node has the vertices", () => {
  test("nothing is executed, and a sentence says what to do", async () => {
    const { archive, replayed } = await recordedDag();
    const [without, empty] = [await nodeOf(replayed), await nodeOf({ ...replayed, vertices: [] })];
    without.hasIndex = false;
    const directory = scratchDirectory();
    const sentence = /^the X-chain of .* name such a node with --upstream, or import an archive first, with: firn import <archive>$/;
    await expect(follow(archive, [without, empty], { directory })).rejects.toThrow(sentence);
    await expect(sourceOf(archive, [without.url], directory).requireVertices(new AbortController().signal)).rejects.toThrow(sentence);
    expect((await storeRows(directory)).size).toBeGreaterThan(0);
    const withThem = await nodeOf(replayed);
    await sourceOf(archive, [without.url, withThem.url], directory).requireVertices(new AbortController().signal);
    // and a store that was begun goes on when there is one
    await follow(archive, [without, withThem], { directory });
    await expectRows(directory, await imported(archive));
  });

  test("a store whose vertices were executed in part does not take them in another order", async () => {
    const { archive, replayed } = await recordedDag();
    const directory = scratchDirectory();
    const store = await openStore({ directory, mode: "write", network: archive.network, isTemporary: true });
    const stop = new AbortController();
    const onCommit = (_: unknown, { progress }: ChainsState) => {
      if ((progress.vertices.get(archive.network.xChainId) ?? 0n) > 3n) stop.abort();
    };
    await ingestSource({ store, source: archive, level: "full", limits: { ...DEFAULT_BATCH, blocks: 2 }, signal: stop.signal, onCommit });
    await store.close();
    await expect(follow(archive, [await nodeOf(replayed)], { directory })).rejects.toThrow(/finish the import of the archive/);
  });
});

test("whatever happens to messages, a follower has the rows of the import", async () => {
  const { archive, replayed } = await recordedDag();
  const expected = await imported(archive);
  const { P, X } = lastHeights(replayed);
  const last = new Map([
    [PLATFORM_CHAIN_ID, P],
    [archive.network.xChainId, X],
  ]);
  for (let seed = 1; seed <= 6; seed++) {
    const nodes = [await nodeOf(replayed), await nodeOf(replayed)];
    const proxies = await Promise.all([1, 2].map((n) => FaultyProxy.start({ seed: seed * 8 + n, nodes: nodes.map(({ url }) => url) })));
    for (const proxy of proxies) stopping.push(() => proxy.stop());
    const directory = scratchDirectory();
    const source = sourceOf(
      archive,
      proxies.map(({ url }) => url),
      directory,
      { reading: "index" },
    );
    const store = await openStore({ directory, mode: "write", network: archive.network, isTemporary: true });
    const all = new AbortController();
    const onCommit = (_: unknown, { progress: { heights } }: ChainsState) => {
      if ([...last].every(([chainId, height]) => heights.get(chainId) === height)) all.abort();
    };
    void delay(1000).then(() => proxies[seed % 2]!.heal());
    await followPrimary({ store, source, level: "full", log, signal: all.signal, onCommit, firstRetryMs: 50 });
    await source.close();
    await store.close();
    expect({ seed, difference: firstDifference(comparable(await storeRows(directory)), expected)?.slice(0, 300) }).toEqual({
      seed,
    });
  }
});
