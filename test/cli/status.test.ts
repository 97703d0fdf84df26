/** `firn status` of a followed network: what its nodes said last is what the process that follows them wrote. */

import pino from "pino";
import { expect, test } from "vitest";
import { PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { type StoreStatus, statusLines, storeStatus } from "../../src/cli/store/store-status.ts";
import { SourceLog } from "../../src/ingest/following/primary-network.ts";
import { storeNetwork } from "../../src/ingest/store-network.ts";
import type { SourceStatus } from "../../src/sources/source.ts";
import { openStore } from "../../src/store/open.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { scratchDirectory } from "../store/scratch.ts";

const log = pino({ level: "silent" });
const UPSTREAMS: SourceStatus["upstreams"] = [
  { name: "http://one:9650", state: "used", heights: { P: "9", X: "0" }, failures: 0 },
  { name: "http://two:9650", state: "resting", reason: "it does not answer", heights: {}, failures: 3 },
  { name: "http://three:9650", state: "refused", reason: "it serves network 5", heights: {}, failures: 1 },
];

async function statusOf(problem?: string): Promise<StoreStatus> {
  const directory = scratchDirectory();
  await importUntil(recordingFolder("live-1"), directory, { P: 5, X: 0, C: 0 }, "replay");
  const store = await openStore({ directory, mode: "write" });
  const { network } = await storeNetwork(store, directory);
  const written = new SourceLog(store, log);
  // biome-ignore lint/plugin: status tells how long ago that is, by the same clock; a slow machine makes it more
  const now = Date.now();
  const tips = new Map([
    [PLATFORM_CHAIN_ID, { height: 9n, acceptedAt: BigInt(now) * 1_000_000n }],
    [network.xChainId, { height: 0n, acceptedAt: 0n }],
  ]);
  written.update({
    seenAt: BigInt(Math.floor(now / 1000) - 100),
    tips,
    problem,
    upstreams: UPSTREAMS,
    prefetched: new Map([[PLATFORM_CHAIN_ID, 3]]),
  });
  await written.close();
  const status = await storeStatus(store, directory);
  await store.close();
  return status;
}

test("status says how far a followed network is behind its nodes, what each node does, and what keeps it from going on", async () => {
  const lines = statusLines(await statusOf("block 6 of the P-chain is invalid"));
  expect(lines[0]).toMatch(/^network \d+ \(\S+\): P 5 of 9 \(\d+ s behind\), X 0, C 0$/);
  expect(lines.slice(1, 4)).toEqual([
    "  http://one:9650: used; P 9, X 0",
    "  http://two:9650: resting after 3 failures (it does not answer)",
    "  http://three:9650: refused after 1 failure (it serves network 5)",
  ]);
  expect(lines[4]).toMatch(/^ {2}a node last answered \d{3,} s ago$/);
  expect(lines[5]).toBe("  block 6 of the P-chain is invalid");
  expect(lines[6]).toMatch(/^store in .*: \d+\.\d MB$/);
  expect(lines).toHaveLength(7);
});

test("as JSON, status is one object that says the same", async () => {
  const status = JSON.parse(JSON.stringify(await statusOf()));
  expect(status).toMatchObject({
    network: {
      chains: [
        { name: "P", chainId: "11111111111111111111111111111111LpoYY", height: "5", head: "9" },
        { name: "X", height: "0", head: "0" },
        { name: "C", height: "0" },
      ],
      upstreams: UPSTREAMS,
    },
    evmChains: [],
  });
  const { chains, secondsSilent, problem } = status.network;
  expect(problem).toBeUndefined();
  expect(secondsSilent).toBeGreaterThanOrEqual(100);
  // nobody knows what the chain did while no node answered
  expect(chains[0].secondsBehind).toBeGreaterThanOrEqual(100);
  expect(status.store.bytes).toBeGreaterThan(1000);
});
