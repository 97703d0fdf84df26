/** A network and its own C-chain followed in one process: the C-chain's blocks come from one reading of its RPC, and the rows are those of two. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { entryOf } from "../../../src/evm/chain-entry.ts";
import { evmChainStates } from "../../../src/evm/index/tables.ts";
import { followIntoStore } from "../../../src/evm/ingest/followed-store.ts";
import { sourceQueues, sourceState, sourceTips } from "../../../src/index/tables.ts";
import { followPrimary } from "../../../src/ingest/following/primary-network.ts";
import { openAtGenesis } from "../../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import { SharedAnswers } from "../../../src/sources/upstream/shared-answers.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { indexRowsOf } from "../../faults/evm-kill/index-rows.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { eventually } from "../../patience.ts";
import type { Fault } from "../../sources/upstream/replay-faults.ts";
import { type Message, ReplayNode } from "../../sources/upstream/replay-node.ts";
import { type ReplayedNetwork, readReplayedNetwork } from "../../sources/upstream/replayed-network.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { withoutOrder } from "../order-free-rows.ts";

const RECORDING = recordingFolder("latest-1");
/** up to where no chain waits for another one's export */
const LAST = { P: 60n, X: 31n, C: 10n };
const FIRST_EVM_TABLE = 300;
const HEARD: ReadonlySet<number> = new Set([sourceTips.id, sourceState.id, sourceQueues.id]);
const log = pino({ level: "silent" });

let recorded: ReplayedNetwork;
let node: ReplayNode;
let separately: Rows;
/** whole blocks that the node was asked for, by height */
const asked = new Map<bigint, number>();

interface Rows {
  readonly primary: Map<string, string>;
  readonly evm: Map<string, string>;
}

beforeAll(async () => {
  recorded = readReplayedNetwork(RECORDING);
  node = await startNode(0);
  node.release(LAST);
  const directory = scratchDirectory();
  await following(directory, { shares: false }, (both) => both.arrived());
  separately = await rowsOf(directory);
  expect(Math.max(...asked.values())).toBeGreaterThan(1);
  // requests that were on their way when following stopped are not counted later
  const { port } = new URL(node.url);
  await node.stop();
  node = await startNode(Number(port));
});
afterAll(() => node.stop());

async function startNode(port: number): Promise<ReplayNode> {
  const started = await ReplayNode.start({ recording: recorded, port });
  started.hasIndex = false;
  started.fault = counting;
  return started;
}

function counting({ path, calls }: Message): Fault | undefined {
  for (const { method, params } of path === "/ext/bc/C/rpc" ? calls : []) {
    const [height, isWhole] = (params ?? []) as [string, boolean];
    if (method === "eth_getBlockByNumber" && isWhole) asked.set(BigInt(height), (asked.get(BigInt(height)) ?? 0) + 1);
  }
  return undefined;
}

/** The URL of a node that is gone. */
async function nobody(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return `http://127.0.0.1:${port}`;
}

interface Both {
  /** Resolves when both readings are where the node is. */
  arrived(): Promise<void>;
}

/** Follows into a store while `during` runs. */
async function following(
  directory: string,
  { shares = true, upstreams = [node.url] },
  during: (both: Both) => Promise<void>,
): Promise<void> {
  const { network, networkFile } = await openArchive({ path: RECORDING, instance: networkInstance });
  // no reader is to ask for itself because a machine is slow
  const shared = shares ? new SharedAnswers({ maxBytes: DEFAULT_LIMITS.sharedBlocksBytes, waitMs: 2 ** 30 }) : undefined;
  const [atomic, blocks] = shared?.readers ?? [];
  const source = openNodeSource({ network, networkFile, upstreams, log, reading: "height", sharedBlocks: atomic });
  const store = await openStore({ directory, mode: "write", network, isTemporary: true });
  await openAtGenesis({ store, source, level: "full" });
  const stop = new AbortController();
  const heights = new Map<string, bigint>();
  const onCommit = (_: unknown, chains: { progress: { heights: ReadonlyMap<string, bigint> } }) => {
    for (const [chainId, height] of chains.progress.heights) heights.set(chainId, height);
  };
  const running = followPrimary({ store, source, level: "full", log, signal: stop.signal, onCommit, firstRetryMs: 50 });
  const own = blocks && { blockchainId: network.cChainId, blocks };
  const entries = [entryOf([`${node.url}/ext/bc/C/rpc`])];
  const chains = await followIntoStore(store, { entries, limits: DEFAULT_LIMITS, log, own });
  const isThere = async () => {
    const [evm] = await store.scan(evmChainStates, { prefix: {}, limit: 1 });
    const { P, X, C } = node.heights;
    const [p, x, c] = [PLATFORM_CHAIN_ID, network.xChainId, network.cChainId].map((chainId) => heights.get(chainId) ?? 0n);
    // P and X may wait for exports of blocks that are not there yet
    const isAtEnd = C < LAST.C || (p === P && x === X);
    return isAtEnd && c === C && evm?.value.height === C;
  };
  try {
    await during({ arrived: async () => void (await eventually(isThere)) });
    if (shared !== undefined) expect(shared.bytes).toBe(0);
  } finally {
    stop.abort();
    await Promise.all([chains.stop(), source.close(), running]);
    await store.close();
  }
}

/** Without what nodes said of themselves, and without what contracts said, which comes when it comes. */
async function rowsOf(directory: string): Promise<Rows> {
  const rows = await storeRows(directory);
  const isKept = (table: number) => table < FIRST_EVM_TABLE && !HEARD.has(table);
  const primary = new Map([...withoutOrder(rows)].filter(([key]) => isKept(Number.parseInt(key.slice(0, 4), 16))));
  const store = await openStore({ directory, mode: "read" });
  try {
    return { primary, evm: await indexRowsOf(store) };
  } finally {
    await store.close();
  }
}

async function expectRowsOfTwoReadings(directory: string): Promise<void> {
  const { primary, evm } = await rowsOf(directory);
  expect(firstDifference(primary, separately.primary)).toBeUndefined();
  expect(firstDifference(evm, separately.evm, (key) => key)).toBeUndefined();
}

test("each block of the C-chain is asked for once: while catching up, at the tip, and across a restart; the rows are the same", async () => {
  const { C, ...others } = LAST;
  node.release({ P: 0n, X: 0n, C: 0n });
  asked.clear();
  const directory = scratchDirectory();
  node.release({ ...others, C: 4n });
  await following(directory, {}, async (both) => {
    await both.arrived();
    node.release({ C: 5n });
    await both.arrived();
    node.release({ C: 6n });
    await both.arrived();
  });
  node.release({ C: 8n });
  await following(directory, {}, async (both) => {
    await both.arrived();
    node.release({ C });
    await both.arrived();
  });
  const heights = Array.from({ length: Number(C) + 1 }, (_, height) => BigInt(height));
  expect([...asked.keys()].sort((a, b) => Number(a - b))).toEqual(heights);
  // two readings ask twice for each; a reader whose request failed on a busy machine asks for itself
  const asks = [...asked.values()].reduce((sum, count) => sum + count, 0);
  expect(asks, `${[...asked]}`).toBeLessThan(1.5 * heights.length);
  await expectRowsOfTwoReadings(directory);
});

test("the rows are the same where the node fails again and again, and where one of its nodes is gone", async () => {
  node.release(LAST);
  let messages = 0;
  node.fault = ({ path, calls }) => {
    const isOfBlocks = path === "/ext/bc/C/rpc" && calls.some(({ method }) => method === "eth_getBlockByNumber");
    return isOfBlocks && ++messages % 3 === 0 ? { kind: "status", status: 500 } : undefined;
  };
  const directory = scratchDirectory();
  try {
    const upstreams = [await nobody(), node.url];
    await following(directory, { upstreams }, (both) => both.arrived());
  } finally {
    node.fault = counting;
  }
  expect(messages).toBeGreaterThan(3);
  await expectRowsOfTwoReadings(directory);
});
