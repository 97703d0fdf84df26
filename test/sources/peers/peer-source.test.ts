/** A network followed from peers of this process, which serve what stores of recordings have. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { afterEach, describe, expect, test } from "vitest";
import type { Id } from "../../../src/base/bytes/id.ts";
import { vertexLinks } from "../../../src/chains/asset/vertex.ts";
import { fetchArchive } from "../../../src/cli/store/fetch-archive.ts";
import { verifyArchive } from "../../../src/ingest/archive/verify.ts";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { DEFAULT_BATCH } from "../../../src/ingest/ingester.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { systemPeerClock } from "../../../src/p2p/peer-clock.ts";
import { StoredState } from "../../../src/serve/peers/stored-state.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { PeerSource } from "../../../src/sources/peers/peer-source.ts";
import type { Source } from "../../../src/sources/source.ts";
import type { Store } from "../../../src/store/store.ts";
import { openToWrite } from "../../conformance/stores.ts";
import { requireReplayed } from "../../faults/replayed-rows.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { beaconOf, startPeers } from "../../p2p/peers.ts";
import { eventually } from "../../patience.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { chainRows, FROM_GENESIS, type ServedPeers, servePeers } from "./served-peers.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A source of these peers for a store. */
async function sourceFor(
  { archive, network, peers, rules, checkpoints }: ServedPeers,
  store: Store,
  directory: string,
  more: { readonly mostHeld?: bigint; readonly mostFetchedBytes?: number } = {},
): Promise<PeerSource> {
  const beacons = peers.map(beaconOf);
  const own = await startPeers(systemPeerClock, { rules, beacons });
  return new PeerSource({
    network,
    networkFile: archive.networkFile,
    peers: own.network,
    bootstrappers: beacons.map(({ nodeId }) => nodeId),
    executed: new StoredState(store),
    directory,
    log: pino({ level: "silent" }),
    lookEveryMs: 1,
    firstRestMs: 1,
    checkpoints: (chain) => checkpoints.get(chain) ?? [],
    ...more,
  });
}

/** Ingests until the chains have these heights. */
async function ingestUntil(source: Source, store: Store, heights: ReadonlyMap<Id, bigint>): Promise<void> {
  const stopping = new AbortController();
  const onCommit = (_: unknown, state: { readonly progress: { readonly heights: ReadonlyMap<Id, bigint> } }) => {
    if ([...heights].every(([chainId, height]) => (state.progress.heights.get(chainId) ?? 0n) >= height)) stopping.abort();
  };
  const limits = { ...DEFAULT_BATCH, blocks: 16 };
  await ingestSource({ store, source, level: "replay", limits, readThreads: 0, onCommit, signal: stopping.signal });
}

/** The bytes that a source delivers, by chain and place. */
async function delivered(source: Source, count: number): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const items of source.items(FROM_GENESIS)) {
    for (const item of items) {
      if (item.kind === "block") found.set(`${item.chainId} block ${item.height}`, Buffer.from(item.container).toString("hex"));
      if (item.kind === "vertex")
        found.set(`${item.chainId} vertex ${vertexLinks(item.bytes).id}`, Buffer.from(item.bytes).toString("hex"));
    }
    if (found.size === count) break;
  }
  return found;
}

describe("peers that serve the store of a recording", () => {
  test.each(["x-dag", "p-eras-old"] as const)("give the vertices and blocks of %s, byte for byte", async (name) => {
    const world = await servePeers(name);
    ends.push(() => world.close());
    const expected = await delivered(world.archive, -1);
    const directory = scratchDirectory();
    const store = await openToWrite(directory, world.network);
    ends.push(() => store.close());
    const source = await sourceFor(world, store, join(directory, "peers"));
    ends.push(() => source.close());
    expect(await delivered(source, expected.size)).toEqual(expected);
  });

  test("are fetched into an archive with the vertices, also by a fetching that was stopped", async () => {
    const world = await servePeers("x-dag");
    ends.push(() => world.close());
    const expected = await delivered(world.archive, -1);
    const folder = scratchDirectory();
    const [, network, , bootstrapIds, , bootstrapIps] = world.flags;
    const fetching = (signal: AbortSignal, onVertices: () => void) => {
      const from = { bootstrapIds: bootstrapIds!.split(","), bootstrapIps: bootstrapIps!.split(","), leastVersion: "1.15.0", wait: "3600" };
      return fetchArchive({ network, genesis: undefined, folder, ...from, firstRestMs: 1, signal, onVertices, onSegment() {} });
    };
    const stopping = new AbortController();
    const stopAt = () => setImmediate(() => stopping.abort());
    expect(await fetching(stopping.signal, stopAt)).toBe(0);
    // the recording has P and X alone
    const { signal } = new AbortController();
    await expect(fetching(signal, () => {})).rejects.toThrow("there is no block of the C-chain");
    await expect(fetching(signal, () => expect.unreachable())).rejects.toThrow("there is no block of the C-chain");
    expect(await delivered(await openArchive({ path: folder, instance: networkInstance }), expected.size)).toEqual(expected);
    expect((await verifyArchive(folder)).vertices).toBe([...expected.keys()].filter((key) => key.includes("vertex")).length);
  });

  test("lead to the rows of an import, and to no others if the following is stopped and begun again", async () => {
    const world = await servePeers("eras-1");
    ends.push(() => world.close());
    const directory = scratchDirectory();
    const store = await openToWrite(directory, world.network);
    const isOnDisk: boolean[] = [];
    for (const share of [0.2, 0.21, 0.7, 1]) {
      // at first through the disk, then with room on it for one stretch alone
      const more = { ...(share < 0.9 && { mostHeld: 10n }), ...(share > 0.5 && { mostFetchedBytes: 1 }) };
      const source = await sourceFor(world, store, join(directory, "peers"), more);
      const until = new Map([...world.heights].map(([chainId, height]) => [chainId, BigInt(Math.ceil(Number(height) * share))]));
      await ingestUntil(source, store, until);
      await source.close();
      if (share < 1) isOnDisk.push(existsSync(join(directory, "peers", "P")));
    }
    expect(isOnDisk).toEqual([true, true, true]);
    // what is executed is removed from the disk at the next start at the latest
    const source = await sourceFor(world, store, join(directory, "peers"));
    const given = source.items({ ...FROM_GENESIS, heights: world.heights }).next();
    await eventually(() => !existsSync(join(directory, "peers", "P")));
    await source.close();
    expect((await given).done).toBe(true);
    await store.close();
    expect(await requireReplayed(directory, scratchDirectory())).toBeGreaterThan(1_000);
    expect(firstDifference(chainRows(await storeRows(directory)), chainRows(await storeRows(world.directory)))).toBeUndefined();
  });
});
