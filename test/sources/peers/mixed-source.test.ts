/** Nodes and peers side by side, each of them a source of recorded blocks that gives them when it likes. */
import fc from "fast-check";
import { pino } from "pino";
import { beforeAll, expect, test } from "vitest";
import { type Id, PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { FirnError } from "../../../src/base/errors/errors.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { MixedSource } from "../../../src/sources/peers/mixed-source.ts";
import type { BlockItem, LiveSource, Progress, Source, SourceStatus } from "../../../src/sources/source.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { eventually } from "../../patience.ts";

const LAST = 40n;
const NOW = 1_700_000_000;
const FROM_GENESIS: Progress = { heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n };

let archive: Source;
let blocks: readonly BlockItem[];

beforeAll(async () => {
  const until = new Map(["P", "X", "C"].map((chain) => [chain, LAST]));
  archive = await openArchive({ path: recordingFolder("live-1"), instance: networkInstance, until });
  const found: BlockItem[] = [];
  for await (const run of archive.items(FROM_GENESIS)) found.push(...run.filter((item) => item.kind === "block"));
  blocks = found;
});

/** Gives blocks up to where it is allowed to. */
class Tap implements LiveSource {
  readonly network = archive.network;
  readonly networkFile = archive.networkFile;
  readonly otherChains = [];
  readonly hasVertices = false;
  readonly fractionRead = undefined;
  /** number of blocks that it may give */
  open = 0;
  seenAt = NOW;
  problem: string | undefined;
  asked = 0;
  lie: ((item: BlockItem) => BlockItem) | undefined;

  async requireVertices(): Promise<void> {
    if (this.problem === "no vertices") throw new FirnError("source-vertices", "no node has them");
  }

  async *items({ heights }: Progress, { signal }: { readonly signal?: AbortSignal | undefined } = {}) {
    this.asked++;
    for (const [i, item] of blocks.entries()) {
      if (item.height <= (heights.get(item.chainId) ?? 0n)) continue;
      while (i >= this.open && signal?.aborted !== true) await new Promise((resolve) => setImmediate(resolve));
      if (signal?.aborted) return;
      yield [this.lie?.(item) ?? item];
    }
    while (signal?.aborted !== true) await new Promise((resolve) => setImmediate(resolve));
  }

  status(): SourceStatus {
    const tips = new Map<Id, { height: bigint; acceptedAt: bigint }>();
    for (const { chainId, height, acceptedAt } of blocks.slice(0, this.open)) tips.set(chainId, { height, acceptedAt });
    return { seenAt: BigInt(this.seenAt), tips, problem: this.problem, upstreams: [], prefetched: new Map() };
  }

  async close(): Promise<void> {}
}

function mixed() {
  const [nodes, peers] = [new Tap(), new Tap()];
  const clock = { now: NOW };
  const source = new MixedSource({ nodes, peers, log: pino({ level: "silent" }), lookEveryMs: 1, now: () => clock.now });
  const given: BlockItem[] = [];
  const stopping = new AbortController();
  const reading = (async () => {
    for await (const run of source.items(FROM_GENESIS, { signal: stopping.signal })) {
      given.push(...run.filter((item) => item.kind === "block"));
    }
  })();
  const stop = async () => {
    stopping.abort();
    await reading;
  };
  return { nodes, peers, source, given, stop, clock };
}

const isWhole = (given: readonly BlockItem[]) => given.length === blocks.length;

test("each block is given once and in order, whoever has it first", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 30 })), { maxLength: 20 }), async (steps) => {
      const { nodes, peers, source, given, stop } = mixed();
      nodes.open = 1;
      for (const [isNodes, count] of steps) {
        const side = isNodes ? nodes : peers;
        side.open = Math.min(blocks.length, side.open + count);
        await new Promise((resolve) => setImmediate(resolve));
      }
      nodes.open = blocks.length;
      peers.open = blocks.length;
      await eventually(() => isWhole(given) && peers.asked === 1);
      await stop();
      for (const chainId of [PLATFORM_CHAIN_ID, archive.network.xChainId, archive.network.cChainId]) {
        const of = (items: readonly BlockItem[]) => items.filter((item) => item.chainId === chainId).map(({ height }) => height);
        expect(of(given)).toEqual(of(blocks));
      }
      expect(source.status().problem).toBeUndefined();
    }),
    { numRuns: 10 },
  );
});

test("peers go on where nodes stop, and begin only once the nodes are at the tip", async () => {
  const { nodes, peers, given, stop } = mixed();
  peers.open = blocks.length;
  nodes.open = 50;
  await eventually(() => isWhole(given));
  expect([nodes.asked, peers.asked]).toEqual([1, 1]);
  await stop();
});

test("peers take the place of nodes that do not answer from the start", async () => {
  const { nodes, peers, given, stop, clock } = mixed();
  nodes.seenAt = 0;
  peers.open = blocks.length;
  clock.now += 30;
  await new Promise((resolve) => setImmediate(resolve));
  expect(peers.asked).toBe(0);
  clock.now += 1;
  await eventually(() => isWhole(given));
  await stop();
});

test("two that differ are both left: nothing more is given, with a sentence that names them", async () => {
  const { nodes, peers, source, given, stop } = mixed();
  nodes.open = blocks.length - 20;
  await eventually(() => given.length === nodes.open);
  await eventually(() => peers.asked === 1);
  const { chainId, height } = blocks[nodes.open + 3]!;
  peers.lie = (item) => (item.chainId === chainId && item.height === height ? { ...item, container: blocks.at(-1)!.container } : item);
  nodes.open += 5;
  await eventually(() => given.length === nodes.open);
  peers.open = blocks.length;
  await eventually(() => source.status().problem !== undefined);
  nodes.open = blocks.length;
  expect(source.status().problem).toMatch(
    new RegExp(`^[PXC]-chain: block ${height} is not the same: the nodes say \\w+, the peers say \\w+; nothing`),
  );
  const before = given.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(given.length).toBe(before);
  await stop();
});

test("peers begin where no node has the vertices; a problem counts if both have one", async () => {
  const { nodes, peers, source, stop } = mixed();
  await stop();
  nodes.problem = "no vertices";
  await source.requireVertices(new AbortController().signal);
  const stopping = new AbortController();
  const first = source.items(FROM_GENESIS, { signal: stopping.signal });
  peers.open = 1;
  expect((await first.next()).value).toHaveLength(1);
  expect(nodes.asked).toBe(1);
  expect(source.status().problem).toBeUndefined();
  peers.problem = "nobody is connected";
  expect(source.status().problem).toBe("nobody is connected");
  stopping.abort();
  await first.return(undefined);
});
