/** Upstreams that have other blocks than the network: they are set aside by name, and none of their blocks is ever indexed. */
import pino from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { decodeHex, encodeHexChecksummed } from "../../../src/base/bytes/hex.ts";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import type { Fault } from "../upstream/replay-faults.ts";
import { type Message, ReplayNode } from "../upstream/replay-node.ts";
import { readReplayedNetwork } from "../upstream/replayed-network.ts";

const folder = recordingFolder("latest-1");
const recording = readReplayedNetwork(folder);
let logged: { upstream?: string; reason?: string }[] = [];
const log = pino({ level: "error" }, { write: (line: string) => void logged.push(JSON.parse(line)) });
/** of a checkpoint, so that no chain waits for another */
const ALL = { P: 36n, X: 119n, C: 10n };
/** codec version, type, parent, height: the time follows */
const LAST_BYTE_OF_TIME = 2 + 4 + 32 + 8 + 7;

const stopping: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  logged = [];
  for (const stop of stopping.splice(0).reverse()) await stop();
});

async function nodeOf(fault: (message: Message) => Fault | undefined = () => undefined): Promise<ReplayNode> {
  const node = await ReplayNode.start({ recording, released: ALL });
  stopping.push(() => node.stop());
  node.hasIndex = false;
  node.fault = fault;
  return node;
}

/** Another X-chain block of this height: valid, of the same parent, and a second later. */
const forkedAt =
  (height: bigint) =>
  ({ calls: [call] }: Message): Fault | undefined => {
    const params = call!.params as { height?: string } | undefined;
    if (call!.method !== "avm.getBlockByHeight" || params?.height !== `${height}`) return undefined;
    const forked = (hex: string) => {
      const bytes = Buffer.from(decodeHex(hex, { checksum: true }));
      bytes[LAST_BYTE_OF_TIME]! += 1;
      return encodeHexChecksummed(bytes);
    };
    return { kind: "change", answer: (body) => body.replace(/0x[0-9a-f]+/, forked) };
  };

async function follow(nodes: readonly ReplayNode[]) {
  const { network, networkFile } = await openArchive({ path: folder, instance: networkInstance });
  const source = openNodeSource({ network, networkFile, upstreams: nodes.map(({ url }) => url), log });
  const store = await openStore({ directory: scratchDirectory(), mode: "write", network, isTemporary: true });
  const ending = new AbortController();
  const tips = new Map<bigint, string>();
  const ingesting = ingestSource({
    store,
    source,
    level: "full",
    signal: ending.signal,
    onCommit: (_, { progress: { heights, lastAccepted } }) => {
      tips.set(heights.get(network.xChainId)!, lastAccepted!.get(network.xChainId)!);
    },
  });
  stopping.push(async () => {
    ending.abort();
    await ingesting.finally(() => Promise.all([source.close(), store.close()]));
  });
  return { source, tips };
}

describe("an upstream with another block", () => {
  test("at the tip is alone among three, set aside by name, and its block is not taken", async () => {
    const [forked, ...good] = [await nodeOf(forkedAt(ALL.X)), await nodeOf(), await nodeOf()];
    const { tips } = await follow([forked, ...good]);
    await expect.poll(() => tips.has(ALL.X)).toBe(true);
    expect(logged).toMatchObject([{ upstream: forked.url, reason: expect.stringContaining("different blocks 119") }]);
    for (const node of good) node.release({ ...ALL, X: ALL.X + 1n });
    await expect.poll(() => tips.has(ALL.X + 1n)).toBe(true);
  });

  test("within its chain contradicts itself, and is set aside", async () => {
    const [forked, good] = [await nodeOf(forkedAt(50n)), await nodeOf()];
    const { tips } = await follow([forked, good]);
    await expect.poll(() => tips.has(ALL.X)).toBe(true);
    expect(logged).toMatchObject([{ upstream: forked.url, reason: expect.stringContaining("block 51 has the parent") }]);
  });

  test("is not believed more than the only other one: nothing is indexed, and both are named", async () => {
    const [forked, good] = [await nodeOf(forkedAt(ALL.X)), await nodeOf()];
    const { source, tips } = await follow([forked, good]);
    const names = [forked.url, good.url].map((url) => expect.stringContaining(url));
    for (const name of names) await expect.poll(() => source.status().problem).toEqual(name);
    expect(tips.has(ALL.X)).toBe(false);
    // the other one turns out to be the one that goes on
    forked.fault = () => undefined;
    await expect.poll(() => tips.has(ALL.X)).toBe(true);
    expect(source.status().problem).toBeUndefined();
  });
});
