/** A network followed from peers of this process, which serve what stores of recordings have. */
import { join } from "node:path";
import pino from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { EMPTY_ID, type Id } from "../../../src/base/bytes/id.ts";
import { vertexLinks } from "../../../src/chains/asset/vertex.ts";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { DEFAULT_BATCH } from "../../../src/ingest/ingester.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { systemPeerClock } from "../../../src/p2p/peer-clock.ts";
import { DEFAULT_VERSIONS } from "../../../src/p2p/version.ts";
import { PeerAnswers } from "../../../src/serve/peers/peer-answers.ts";
import { StoredState } from "../../../src/serve/peers/stored-state.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { PeerSource } from "../../../src/sources/peers/peer-source.ts";
import type { Source } from "../../../src/sources/source.ts";
import type { Store } from "../../../src/store/store.ts";
import { importUntil } from "../../conformance/checkpoints.ts";
import { type RecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { openToRead, openToWrite } from "../../conformance/stores.ts";
import { requireReplayed } from "../../faults/replayed-rows.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { beaconOf, startPeers } from "../../p2p/peers.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const START = { heights: new Map<Id, bigint>(), vertices: new Map<Id, bigint>(), sharedMemoryOperations: 0n };

/** Peers that serve a store in which a recording was imported. */
async function served(name: RecordingName, heights: Readonly<Record<string, number>> = {}) {
  const directory = scratchDirectory();
  await importUntil(recordingFolder(name), directory, heights, "replay");
  const store = await openToRead(directory);
  ends.push(() => store.close());
  const archive = await openArchive({ path: recordingFolder(name), instance: networkInstance });
  const network = await withStopVertex(archive);
  const answers = new PeerAnswers(store, network);
  const rules = { networkId: network.networkId, upgradeTime: 0n, versions: DEFAULT_VERSIONS };
  const peers = await Promise.all(
    Array.from({ length: 3 }, () => startPeers(systemPeerClock, { rules, serve: (request) => answers.answer(request) })),
  );
  ends.push(() => Promise.all(peers.map((peer) => peer.network.close())));
  return { archive, network, peers, rules, directory };
}

/** A recording's own network names no stop vertex, as public ones do. */
async function withStopVertex({ network, vertices }: Source): Promise<NetworkInstance> {
  let cortinaXChainStopVertexId = EMPTY_ID;
  for await (const { bytes } of vertices?.() ?? []) {
    const { id, isStop } = vertexLinks(bytes);
    if (isStop) cortinaXChainStopVertexId = id;
  }
  return { ...network, upgrades: { ...network.upgrades, cortinaXChainStopVertexId } };
}

type Served = Awaited<ReturnType<typeof served>>;

/** A source of these peers for a store. */
async function sourceFor({ archive, network, peers, rules }: Served, store: Store, directory: string): Promise<PeerSource> {
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

async function openScratch(network: NetworkInstance): Promise<{ store: Store; directory: string }> {
  const directory = scratchDirectory();
  return { store: await openToWrite(directory, network), directory };
}

/** The bytes that a source delivers, by chain and place. */
async function delivered(source: Source, count: number): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const items of source.items(START)) {
    for (const item of items) {
      if (item.kind === "block") found.set(`${item.chainId} block ${item.height}`, Buffer.from(item.container).toString("hex"));
      if (item.kind === "vertex")
        found.set(`${item.chainId} vertex ${vertexLinks(item.bytes).id}`, Buffer.from(item.bytes).toString("hex"));
    }
    if (found.size === count) break;
  }
  return found;
}

/** IDs of blocks, and the state of each chain. Lists over several chains are in the order in which blocks came, which is a hint. */
function chainRows(rows: Map<string, string>): Map<string, string> {
  const tableOf = (key: string) => Number.parseInt(key.slice(0, 4), 16);
  return new Map([...rows].filter(([key]) => [2, 3].includes(tableOf(key)) || (tableOf(key) >= 100 && tableOf(key) < 200)));
}

describe("peers that serve the store of a recording", () => {
  test.each(["x-dag", "p-eras-old"] as const)("give the vertices and blocks of %s, byte for byte", async (name) => {
    const world = await served(name);
    const expected = await delivered(world.archive, -1);
    const { store, directory } = await openScratch(world.network);
    ends.push(() => store.close());
    const source = await sourceFor(world, store, join(directory, "peers"));
    ends.push(() => source.close());
    expect(await delivered(source, expected.size)).toEqual(expected);
  });

  test("lead to the rows of an import, and to no others if the following is stopped and begun again", async () => {
    const world = await served("eras-1");
    const heights = new Map<Id, bigint>();
    for await (const items of world.archive.items(START))
      for (const item of items) if (item.kind === "block") heights.set(item.chainId, item.height);
    const { store, directory } = await openScratch(world.network);
    for (const share of [0.2, 0.21, 0.7, 1]) {
      const source = await sourceFor(world, store, join(directory, "peers"));
      const until = new Map([...heights].map(([chainId, height]) => [chainId, BigInt(Math.ceil(Number(height) * share))]));
      await ingestUntil(source, store, until);
      await source.close();
    }
    await store.close();
    expect(await requireReplayed(directory, scratchDirectory())).toBeGreaterThan(1_000);
    expect(firstDifference(chainRows(await storeRows(directory)), chainRows(await storeRows(world.directory)))).toBeUndefined();
  });
});
