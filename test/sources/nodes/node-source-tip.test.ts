/** At the tip, over restarts, and through failures of upstreams: a follower has the rows of the recording whatever happens. */

import pino from "pino";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { headReader } from "../../../src/sources/nodes/chain-reader.ts";
import { EvmReader } from "../../../src/sources/nodes/evm-reader.ts";
import { askNodeNetwork } from "../../../src/sources/nodes/node-network.ts";
import { ExecutedIndexReader, type NodeSourceOptions, openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import type { LiveSource, Source } from "../../../src/sources/source.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { withoutOrder } from "../../ingest/order-free-rows.ts";
import { randomOf } from "../../random.ts";
import { sized } from "../../share.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import type { Fault } from "../upstream/replay-faults.ts";
import { ReplayNode, type ReplayOptions } from "../upstream/replay-node.ts";
import { type ReplayedNetwork, readReplayedNetwork } from "../upstream/replayed-network.ts";
import { withoutContainers } from "./bare-blocks.ts";

const PROPOSALS = new Set([0, 29]);
const RECORDING = recordingFolder("latest-1");
const SEEDS = Number(process.env.FIRN_UPSTREAM_SEEDS ?? sized({ whole: 4, share: 1 }));
const log = pino({ level: "silent" });

let archive: Source;
let recording: ReplayedNetwork;
let expected: Map<string, string>;
/** of the blocks without their containers */
let expectedBare: Map<string, string>;
let recorded: Heights[];
let directory: string;
let nodes: ReplayNode[] = [];
const closing: (() => Promise<void>)[] = [];
let followers: { source: LiveSource; stop: () => Promise<void> }[] = [];

beforeAll(async () => {
  archive = await openArchive({ path: RECORDING, instance: networkInstance });
  recording = readReplayedNetwork(RECORDING);
  recorded = await recordedHeights();
  expected = await rowsOf(archive);
  expectedBare = await rowsOf(withoutContainers(archive));
});

async function rowsOf(source: Source): Promise<Map<string, string>> {
  const imported = scratchDirectory();
  const store = await openStore({ directory: imported, mode: "write", network: source.network, isTemporary: true });
  await ingestSource({ store, source, level: "full" });
  await store.close();
  return withoutOrder(await storeRows(imported));
}

beforeEach(() => {
  directory = scratchDirectory();
});

afterEach(async () => {
  await Promise.all(followers.map(({ stop }) => stop()));
  await Promise.all(closing.splice(0).map((close) => close()));
  await Promise.all(nodes.map((node) => node.stop()));
  [followers, nodes] = [[], []];
});

async function nodeOf(network = recording, options: Omit<ReplayOptions, "recording"> = {}): Promise<ReplayNode> {
  const node = await ReplayNode.start({ recording: network, ...options });
  nodes.push(node);
  return node;
}

/** Of C. */
function indexOf(upstreams: readonly ReplayNode[]): ExecutedIndexReader {
  const { network } = archive;
  const rpc = openUpstreamRpc({ urls: upstreams.map(({ url }) => url), log, maxBatch: 1 });
  closing.push(() => rpc.close());
  return new ExecutedIndexReader(new EvmReader(rpc, network), rpc, "C", network.cChainId, headReader(network.cChainId, network));
}

/** Follows in the background; heights are those that were committed. */
async function follow(
  upstreams: readonly ReplayNode[],
  options: Partial<NodeSourceOptions> = {},
  onCommit: (heights: Readonly<Record<string, bigint>>) => void = () => {},
) {
  const { network, networkFile } = archive;
  const source = openNodeSource({ network, networkFile, upstreams: upstreams.map(({ url }) => url), log, ...options });
  const store = await openStore({ directory, mode: "write", network, isTemporary: true });
  const stopping = new AbortController();
  const heights: Record<string, bigint> = { P: 0n, X: 0n, C: 0n };
  const names = { [PLATFORM_CHAIN_ID]: "P", [network.xChainId]: "X", [network.cChainId]: "C" };
  const ingesting = ingestSource({
    store,
    source,
    level: "full",
    signal: stopping.signal,
    onCommit: (_, { progress }) => {
      for (const [chainId, height] of progress.heights) heights[names[chainId]!] = height;
      onCommit(heights);
    },
  });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    stopping.abort();
    await ingesting.finally(() => Promise.all([store.close(), source.close()]));
  };
  const follower = { source, heights, stop, ingesting };
  followers.push(follower);
  return follower;
}

async function expectRows(rows = expected): Promise<void> {
  expect(firstDifference(withoutOrder(await storeRows(directory)), rows)?.slice(0, 300)).toBeUndefined();
}

type Heights = ReplayNode["heights"];

/** How far the recorded node was after each block, but for proposals, which are executed with their option. */
async function recordedHeights(): Promise<Heights[]> {
  const { network } = archive;
  const found: Heights[] = [];
  let heights: Heights = { P: 0n, X: 0n, C: 0n };
  for await (const run of archive.items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n })) {
    for (const item of run) {
      if (item.kind !== "block") continue;
      const chain = item.chainId === PLATFORM_CHAIN_ID ? "P" : item.chainId === network.xChainId ? "X" : "C";
      heights = { ...heights, [chain]: item.height };
      const isProposal = (height: bigint) => PROPOSALS.has(recording.chains.P[Number(height)]!.bytes.readUInt32BE(2));
      if (!isProposal(heights.P)) found.push(heights);
    }
  }
  return found;
}

/** @param hasIndex nothing tells that its times of acceptance are others */
function faultOf(random: () => number, hasIndex: boolean): Fault | undefined {
  const faults: Fault[] = [
    { kind: "delay", ms: 1 + Math.floor(random() * 30) },
    { kind: "drop" },
    { kind: "truncate" },
    hasIndex ? { kind: "drop" } : { kind: "corrupt", at: random() },
    { kind: "status", status: 500 },
    { kind: "status", status: 429, retryAfterSeconds: 0 },
    { kind: "behind", blocks: BigInt(Math.floor(random() * 40)) },
  ];
  return random() < 0.2 ? faults[Math.floor(random() * faults.length)] : undefined;
}

describe("a follower", () => {
  test.each(["index", "height"] as const)("commits each block that its node accepts, by %s", async (reading) => {
    const node = await nodeOf();
    node.hasIndex = reading === "index";
    const { heights } = await follow([node]);
    for (const released of recorded.slice(0, sized({ whole: 24, share: 8 }))) {
      node.release(released);
      await expect.poll(() => heights, { interval: 5 }).toEqual(released);
    }
  });

  test.each(["index", "height"] as const)("commits blocks of C once its node has executed them, by %s", async (reading) => {
    const node = await nodeOf(recording, { executed: 0 });
    node.hasIndex = reading === "index";
    node.releaseAll();
    const tooEarly: bigint[] = [];
    const { heights, source, stop } = await follow([node], {}, ({ C }) => {
      if (C! > BigInt(node.execution!.executed)) tooEarly.push(C!);
    });
    const last = Number(node.lastHeights.C);
    for (const executed of [1, 2, Math.floor(last / 2), last]) {
      node.execute(executed);
      await expect.poll(() => heights.C, { interval: 20 }).toBe(BigInt(executed));
    }
    await expect.poll(() => heights, { interval: 20 }).toEqual(node.lastHeights);
    expect(tooEarly).toEqual([]);
    expect(source.status().upstreams.map(({ state }) => state)).toEqual(["used"]);
    await stop();
    await expectRows(reading === "index" ? expected : expectedBare);
  });

  test("reads accepted blocks of C where no node tells what is executed, and executed ones as soon as one does", async () => {
    const [silent, telling] = [await nodeOf(recording, { executed: 0 }), await nodeOf(recording, { executed: 3 })];
    silent.hasEvmRpc = false;
    const reader = indexOf([silent, telling]);
    const heightOf = (upstream: number) => reader.height((place) => (place === upstream ? 0 : undefined), new AbortController().signal);
    for (const node of [silent, telling]) node.releaseAll();
    expect(await heightOf(0)).toBe(silent.lastHeights.C);
    expect(await heightOf(1)).toBe(3n);
    expect(await heightOf(0)).toBe(3n);
    telling.execute(5);
    expect(await heightOf(1)).toBe(5n);
    expect(await heightOf(0)).toBe(5n);
  });

  test("goes on where it was stopped, wherever that was", async () => {
    const node = await nodeOf();
    node.releaseAll();
    const parts = sized({ whole: 10, share: 3 });
    for (let part = 1; part <= parts; part++) {
      const until = new Map(Object.entries(recorded[Math.ceil((recorded.length * part) / parts) - 1]!));
      const { ingesting, stop } = await follow([node], { until });
      await ingesting;
      await stop();
    }
    await expectRows();
  });

  test("goes on with another node when the first one dies, and says which is used", async () => {
    const [first, second] = [await nodeOf(), await nodeOf()];
    for (const node of [first, second]) node.release(recorded[50]!);
    const { heights, source, stop } = await follow([first, second]);
    const urls = [first.url, second.url];
    await expect.poll(() => heights).toEqual(first.heights);
    nodes = [second];
    await first.stop();
    second.releaseAll();
    await expect.poll(() => heights).toEqual(second.lastHeights);
    expect(source.status().upstreams).toMatchObject([
      { name: urls[0], state: "resting" },
      { name: urls[1], state: "used" },
    ]);
    expect(source.status().upstreams[1]!.heights).toEqual(
      Object.fromEntries(Object.entries(second.lastHeights).map(([chain, height]) => [chain, `${height}`])),
    );
    await stop();
    await expectRows();
  });

  test("never takes a block of a node of another network, and names it", async () => {
    const [other, good] = [await nodeOf(readReplayedNetwork(recordingFolder("live-1"))), await nodeOf()];
    for (const node of [other, good]) node.releaseAll();
    const { heights, source, stop } = await follow([other, good]);
    await expect.poll(() => heights).toEqual(good.lastHeights);
    expect(source.status().upstreams).toMatchObject([
      { name: other.url, state: "refused", reason: expect.stringMatching(/^it is of network \d+ with genesis \w+, not of network/) },
      { name: good.url, state: "used" },
    ]);
    await stop();
    await expectRows();
  });

  test("has the rows of the recording whatever its nodes do to single messages", async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      directory = scratchDirectory();
      const random = randomOf(seed);
      const pair = [await nodeOf(), await nodeOf()];
      for (const node of pair) {
        node.hasIndex = seed % 2 === 0;
        node.fault = () => faultOf(random, node.hasIndex);
      }
      const { heights, stop } = await follow(pair);
      for (const share of [1 / 3, 1 / 2, 1]) {
        const released = recorded[Math.ceil(recorded.length * share) - 1]!;
        for (const node of pair) node.release(released);
        await expect.poll(() => heights, { message: `seed ${seed}` }).toEqual(released);
      }
      await stop();
      await expectRows(seed % 2 === 0 ? expected : expectedBare);
    }
  });

  test("asks what network its nodes are of", async () => {
    const node = await nodeOf();
    const { networkId, genesisId } = archive.network;
    const asked = await askNodeNetwork([node.url], log, new AbortController().signal);
    expect(asked).toMatchObject({ networkId, genesisId, upgrades: recording.upgrades });
  });
});
