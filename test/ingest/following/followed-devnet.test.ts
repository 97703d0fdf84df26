/**
 * A devnet is followed while clients issue transactions on all of its chains: through its index from the beginning, and block by block by
 * one that is started later. It tells of C's blocks over a WebSocket. In the end the followers have the devnet's rows.
 */
import { join } from "node:path";
import pino from "pino";
import { expect, test } from "vitest";
import { sha256 } from "../../../src/base/bytes/hash.ts";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { devnetClock } from "../../../src/devnet/tables.ts";
import { sourceQueues, sourceState, sourceTips } from "../../../src/index/tables.ts";
import { exportArchive } from "../../../src/ingest/archive/export.ts";
import { type IngestSourceOptions, ingestSource } from "../../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { type LocalNetwork, startDevnet } from "../../../src/serve/local-network/start.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import type { Source } from "../../../src/sources/source.ts";
import { openStore } from "../../../src/store/open.ts";
import { type Journal, LoadClient } from "../../devnet/load/load-client.ts";
import { PlainWallet } from "../../devnet/load/plain-wallet.ts";
import { networkOf } from "../../devnet/load/wallet-network.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { Random } from "../../fuzz/mutate.ts";
import { withoutContainers } from "../../sources/nodes/bare-blocks.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { withoutOrder } from "../order-free-rows.ts";
import { type Follower, following } from "./following.ts";

const CLIENTS = 3;
const FUNDS = 1000_000_000_000n;
/** transactions, of all chains and between them; half of them before the second follower starts */
const ISSUED = 60;
/** What a devnet alone has, and what a follower alone is told; the index of C's EVM, from `EVM` on, was not asked for. */
const NOT_COMPARED: ReadonlySet<number> = new Set([devnetClock, sourceTips, sourceState, sourceQueues].map(({ id }) => id));
const EVM = 300;

test("followers of a devnet under load have its rows, through its index and block by block", async () => {
  const [directory, byIndex] = [scratchDirectory(), scratchDirectory()];
  const devnet = await startDevnet({ dataDirectory: directory });
  try {
    const follower = await following(byIndex, { network: "local", upstream: devnet.url });
    const journal: Journal = [];
    let isRunning = true;
    const load = (await clientsOf(devnet, journal)).map((client) => client.run(() => isRunning));
    await expect.poll(() => journal.length).toBeGreaterThan(ISSUED / 2);
    const late = await blockByBlock(await exported(directory), devnet.url);
    await expect.poll(() => journal.length).toBeGreaterThan(ISSUED);
    isRunning = false;
    await Promise.all(load);
    const archive = await exported(directory);
    const heights = await lastHeights(archive);
    await expect.poll(late.heights).toEqual(heights);
    await late.stop();
    await expect.poll(() => servedHeights(follower)).toEqual(heights);
    await follower.stop();
    expectSame(await comparableRows(byIndex), await comparableRows(directory));
    expectSame(await comparableRows(late.directory), await comparableRows(await imported(withoutContainers(archive))));
  } finally {
    await devnet.stop();
  }
});

async function clientsOf(devnet: LocalNetwork, journal: Journal): Promise<LoadClient[]> {
  const network = await networkOf(devnet.url);
  const clients: LoadClient[] = [];
  for (let client = 0; client < CLIENTS; client++) {
    const wallet = new PlainWallet(network, sha256(Buffer.from(`client ${client}`)));
    for (const address of [wallet.addressOn("P"), wallet.addressOn("X"), `0x${wallet.evmAddress}`]) await devnet.fund(address, FUNDS);
    clients.push(new LoadClient({ url: () => devnet.url, wallet, random: new Random(client), journal }));
  }
  return clients;
}

/** What a store holds now. */
async function exported(directory: string): Promise<Source> {
  const folder = join(scratchDirectory(), "archive");
  const reader = await openStore({ directory, mode: "read" });
  await exportArchive({ reader, directory, folder }).finally(() => reader.close());
  return openArchive({ path: folder, instance: networkInstance });
}

/** Follows in the background until it is stopped. */
async function blockByBlock({ network, networkFile }: Source, url: string) {
  const directory = scratchDirectory();
  // the time of acceptance is then that of the block, as in an archive
  const now = () => 0;
  const source = openNodeSource({ network, networkFile, upstreams: [url], log: pino({ level: "silent" }), reading: "height", now });
  const store = await openStore({ directory, mode: "write", network, isTemporary: true });
  const ending = new AbortController();
  let heights: ReadonlyMap<string, bigint> = new Map();
  const onCommit: IngestSourceOptions["onCommit"] = (_, { progress }) => {
    heights = progress.heights;
  };
  const ingesting = ingestSource({ store, source, level: "full", signal: ending.signal, onCommit });
  const stop = async () => {
    ending.abort();
    await ingesting.finally(() => Promise.all([source.close(), store.close()]));
  };
  return { directory, stop, heights: () => chainHeights(network, heights) };
}

/** As the follower tells with each answer. */
async function servedHeights({ url }: Follower): Promise<(string | null)[]> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "platform.getHeight", params: {} });
  const { headers } = await fetch(`${url}/ext/bc/P`, { method: "POST", headers: { "content-type": "application/json" }, body });
  return ["p", "x", "c"].map((chain) => headers.get(`firn-height-${chain}`));
}

async function lastHeights(archive: Source): Promise<string[]> {
  const heights = new Map<string, bigint>();
  for await (const run of archive.items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n })) {
    for (const item of run) if (item.kind === "block") heights.set(item.chainId, item.height);
  }
  return chainHeights(archive.network, heights);
}

/** P, X, C */
function chainHeights({ xChainId, cChainId }: Source["network"], heights: ReadonlyMap<string, bigint>): string[] {
  return [PLATFORM_CHAIN_ID, xChainId, cChainId].map((chainId) => `${heights.get(chainId)}`);
}

async function imported(source: Source): Promise<string> {
  const directory = scratchDirectory();
  const store = await openStore({ directory, mode: "write", network: source.network, isTemporary: true });
  await ingestSource({ store, source, level: "full" }).finally(() => store.close());
  return directory;
}

async function comparableRows(directory: string): Promise<Map<string, string>> {
  const isCompared = (table: number) => table < EVM && !NOT_COMPARED.has(table);
  return new Map([...withoutOrder(await storeRows(directory))].filter(([key]) => isCompared(Number.parseInt(key.slice(0, 4), 16))));
}

function expectSame(found: Map<string, string>, expected: Map<string, string>): void {
  expect(firstDifference(found, expected)?.slice(0, 300)).toBeUndefined();
}
