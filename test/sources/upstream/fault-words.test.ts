/** What a follower says of an upstream that does one thing wrong all the time: in its status, from which health is made, and in the metrics. */
import pino from "pino";
import { afterEach, expect, test } from "vitest";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { NO_SOURCES, sourceGauges } from "../../../src/serve/metrics/source-metrics.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import type { LiveSource } from "../../../src/sources/source.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { FaultyProxy } from "./faulty-proxy.ts";
import type { FaultKind } from "./proxy-faults.ts";
import { ReplayNode } from "./replay-node.ts";
import { readReplayedNetwork } from "./replayed-network.ts";

const RELEASED = { P: 30n, X: 31n, C: 10n };
const recording = readReplayedNetwork(recordingFolder("latest-1"));
const foreign = readReplayedNetwork(recordingFolder("live-1"));
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function nodeOf(network = recording): Promise<ReplayNode> {
  const node = await ReplayNode.start({ recording: network, released: RELEASED });
  stops.push(() => node.stop());
  return node;
}

/** Reads the blocks of these URLs without executing them. */
async function read(upstreams: readonly string[], reading: "index" | "height"): Promise<LiveSource> {
  const { network, networkFile } = await openArchive({ path: recordingFolder("latest-1"), instance: networkInstance });
  const source = openNodeSource({ network, networkFile, upstreams, reading, log: pino({ level: "silent" }) });
  stops.push(() => source.close());
  const running = (async () => {
    for await (const _ of source.items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n }));
  })();
  stops.unshift(() => running);
  return source;
}

type State = "used" | "resting" | "refused";
const CASES: readonly (readonly [FaultKind, State, RegExp])[] = [
  ["hang", "resting", /the node did not answer within [\d.]+ s/],
  ["drop", "resting", /the node cannot be reached: socket hang up/],
  ["truncate", "resting", /the node cannot be reached: aborted|the connection to the node ended before its answer did/],
  ["rate-limit", "resting", /the node answers with HTTP status 429/],
  ["server-error", "resting", /the node answers with HTTP status 50[023]/],
  ["page", "resting", /the node's answer is not JSON: <html>/],
  ["wrong-id", "resting", /the node answered another call instead of/],
  ["reverse", "refused", /container \d+ came in the place of container \d+/],
  ["foreign", "refused", /^it is of network \d+ with genesis \w+, not of network \d+ with genesis \w+/],
];

test.each(CASES)("of an upstream with the fault %s it says: %s, and why", async (kind, state, words) => {
  const elsewhere = { foreign: (await nodeOf(foreign)).url };
  const node = await nodeOf();
  const proxy = await FaultyProxy.start({ seed: 1, nodes: [node.url], elsewhere, kinds: [kind], always: true });
  stops.push(() => proxy.stop());
  const source = await read([proxy.url], "index");
  await expect.poll(() => source.status().upstreams).toMatchObject([{ name: proxy.url, state, reason: expect.stringMatching(words) }]);
  await expect.poll(() => source.status().problem).toEqual(expect.any(String));
  await expect.poll(() => statesInMetrics(source)).toEqual([{ source: "network", upstream: proxy.url, state }]);
});

test.each(["delay", "old"] as const)("of an upstream with the fault %s it says nothing, but how far it is", async (kind) => {
  const old = await nodeOf();
  old.release({ P: 7n, X: 3n, C: 2n });
  const node = await nodeOf();
  const proxy = await FaultyProxy.start({ seed: 1, nodes: [node.url], elsewhere: { old: old.url }, kinds: [kind], always: true });
  stops.push(() => proxy.stop());
  const source = await read([proxy.url], "index");
  const heights = kind === "old" ? { P: "7", X: "3", C: "2" } : { P: "30", X: "31", C: "10" };
  await expect.poll(() => source.status().upstreams).toMatchObject([{ state: "used", failures: 0, heights }]);
  expect(source.status().problem).toBeUndefined();
});

test("an upstream that answers how far it is and no block does not keep blocks from the follower: another one is asked", async () => {
  const [silent, good] = [await nodeOf(), await nodeOf()];
  silent.fault = ({ calls: [call] }) => (/Range|ByHeight|ByNumber/.test(call!.method) ? { kind: "hang" } : undefined);
  good.release(RELEASED);
  const { network, networkFile } = await openArchive({ path: recordingFolder("latest-1"), instance: networkInstance });
  const until = new Map(Object.entries(RELEASED));
  const source = openNodeSource({ network, networkFile, upstreams: [silent.url, good.url], log: pino({ level: "silent" }), until });
  stops.push(() => source.close());
  let count = 0n;
  for await (const run of source.items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n }))
    count += BigInt(run.length);
  expect(count).toBe(RELEASED.P + RELEASED.X + RELEASED.C);
});

function statesInMetrics(source: LiveSource) {
  const { problem, upstreams } = source.status();
  const gauges = sourceGauges({ ...NO_SOURCES, network: { secondsSilent: 0, problem, upstreams } });
  const { values } = gauges.find(({ name }) => name === "firn_upstream_state_boolean")!;
  return values.filter(({ value }) => value === 1).map(({ labels }) => labels);
}
