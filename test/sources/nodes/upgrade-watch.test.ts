/** Upgrades that nodes have and Firn does not: nothing is executed from then on, and a sentence says what to do. */

import pino from "pino";
import { expect, test } from "vitest";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { formatTime } from "../../../src/network/go-time.ts";
import { localNetwork, mainnet } from "../../../src/network/presets.ts";
import { headReader } from "../../../src/sources/nodes/chain-reader.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import { disagreementOf } from "../../../src/sources/nodes/upgrade-watch.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { ReplayNode } from "../upstream/replay-node.ts";

const network = localNetwork();

test.each([
  ["says what Firn knows", { graniteTime: "2020-12-05T05:00:00Z", heliconTime: "2020-12-05T05:00:00Z" }, undefined],
  ["has an upgrade that is not scheduled", { iglooTime: "9999-12-01T00:00:00Z" }, undefined],
  ["has other members", { graniteEpochDuration: 30, cortinaTime: 7, x: null }, undefined],
  ["has no members", null, undefined],
  [
    "schedules an unknown upgrade",
    { iglooTime: "2027-01-01T00:00:00Z" },
    /activate igloo at 2027-01-01T00:00:00Z, an upgrade that this Firn does not know/,
  ],
  [
    "has a known one as not scheduled",
    { heliconTime: "9999-12-01T00:00:00Z" },
    /activate helicon at 9999-12-01T00:00:00Z, and this Firn has it at 2020-12-05T05:00:00Z/,
  ],
  [
    "had one later",
    { etnaTime: "2024-01-01T00:00:00Z" },
    /activate etna at 2024-01-01T00:00:00Z, and this Firn has it at 2020-12-05T05:00:00Z/,
  ],
])("a node that %s", (_, answer, sentence) => {
  const found = disagreementOf(answer, network);
  if (sentence === undefined) expect(found).toBeUndefined();
  else expect(found!.sentence).toMatch(sentence);
});

test("of several upgrades the first one counts, from the earlier of both times on", () => {
  const found = disagreementOf({ heliconTime: "2027-06-01T00:00:00Z", iglooTime: "2026-01-01T00:00:00Z" }, mainnet);
  expect(found!.time).toBe(1_767_225_600n);
  expect(disagreementOf({ etnaTime: "2024-01-01T00:00:00Z", iglooTime: "2023-01-01T00:00:00Z" }, network)!.time).toBe(
    network.upgrades.times.etna,
  );
});

test("blocks before an unknown upgrade are executed, and none from then on", async () => {
  const node = await ReplayNode.start({ recording: recordingFolder("live-1") });
  const { network, chains } = node.network;
  const timeOf = (height: number) => headReader(PLATFORM_CHAIN_ID, network)(chains.P[height]!.bytes).time!;
  const upgrade = timeOf(60);
  node.releaseAll();
  node.fault = ({ calls }) =>
    calls.some(({ method }) => method === "info.upgrades")
      ? { kind: "change", answer: (body) => body.replace('"result":{', `"result":{"iglooTime":"${formatTime(upgrade)}",`) }
      : undefined;
  const directory = scratchDirectory();
  const store = await openStore({ directory, mode: "write", network, isTemporary: true });
  const source = openNodeSource({ network, networkFile: Buffer.from("{}"), upstreams: [node.url], log: pino({ level: "silent" }) });
  let heights = new Map<string, bigint>();
  try {
    const onCommit = (_: unknown, chains: { progress: { heights: ReadonlyMap<string, bigint> } }) => {
      heights = new Map(chains.progress.heights);
    };
    await expect(ingestSource({ store, source, level: "replay", onCommit })).rejects.toThrow("activate igloo at");
    expect(timeOf(Number(heights.get(PLATFORM_CHAIN_ID)))).toBeLessThan(upgrade);
    expect(heights.get(PLATFORM_CHAIN_ID)).toBeGreaterThan(0n);
  } finally {
    await source.close();
    await store.close();
    await node.stop();
  }
});
