import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { retraceCommand } from "../../../src/cli/store/retrace.ts";
import { type EvmChainEntry, entryOf } from "../../../src/evm/chain-entry.ts";
import { evmChainStates, evmUntraced } from "../../../src/evm/index/tables.ts";
import { EvmIngester, type EvmIngesterOptions } from "../../../src/evm/ingest/evm-ingester.ts";
import { retraceChain } from "../../../src/evm/ingest/retrace-chain.ts";
import { rpcSource } from "../../../src/sources/evm/rpc-source.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import type { UpstreamRpc } from "../../../src/sources/upstream/upstream-rpc.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { indexRowsOf } from "../../faults/evm-kill/index-rows.ts";
import { eventually } from "../../patience.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { type SpoiledCall, type SpoiledNode, startSpoiledNode } from "../replay-rpc/spoiled-node.ts";

const log = pino({ level: "silent" });
const HEAD = 60;
const entry = (node: SpoiledNode): EvmChainEntry => entryOf([node.url]);

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(): Promise<{ node: SpoiledNode; rpc: UpstreamRpc; store: Store }> {
  const node = await startSpoiledNode(recordingFolder("evm-1"), { head: HEAD });
  const rpc = openUpstreamRpc({ urls: [node.url], log, firstWaitMs: 5 });
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  closing.push(
    () => node.close(),
    () => rpc.close(),
    () => store.close(),
  );
  return { node, rpc, store };
}

/** Until `isDone` says so after a commit. */
async function index(
  store: Store,
  rpc: UpstreamRpc,
  isDone: () => Promise<boolean>,
  options: Partial<EvmIngesterOptions> = {},
): Promise<void> {
  const stopping = new AbortController();
  const source = rpcSource({
    rpc: {
      ...rpc,
      request: rpc.request.bind(rpc),
      requestAll: rpc.requestAll.bind(rpc),
      subscribeHeads: () => false,
      close: async () => {},
    },
    startBlock: 0n,
    maxReorgDepth: 0,
    traces: true,
    log,
    pollMs: 5,
    retryMs: 5,
  });
  const chain = { chain: 0, evmChainId: 43_112n, startHeight: 0n, maxReorgDepth: 0 };
  const ingester = new EvmIngester({
    store,
    chain,
    source,
    classifier: { classify: async () => new Map() },
    upstream: { committed: () => {}, tell: () => {} },
    log,
    ...options,
  });
  await Promise.all([ingester.run(stopping.signal), eventually(isDone).finally(() => stopping.abort())]);
}

const isAtHead = (store: Store) => async () => (await store.get(evmChainStates, { chain: 0 }))?.height === BigInt(HEAD);
const marks = (store: Store) => store.scan(evmUntraced, { prefix: { chain: 0 }, limit: 1000 });

/** Every third transaction, as long as it is asked. */
function refusesTraces(node: SpoiledNode): void {
  const places = new Map(node.recording.blocks.flatMap(({ block }) => block.transactions.map(({ hash }, index) => [hash, index] as const)));
  const isRefused = ({ method, params }: SpoiledCall) =>
    (method === "debug_traceBlockByNumber" && Number(params[0]) >= HEAD - 8) ||
    (method === "debug_traceTransaction" && places.get(params[0] as string)! % 3 === 1);
  node.setSpoil(({ calls, replies }) => {
    for (const [at, call] of calls.entries()) {
      if (isRefused(call)) replies[at] = { jsonrpc: "2.0", id: call.id, error: { code: -32000, message: "tracing failed" } };
    }
    return false;
  });
}

describe("Call traces that were missing", () => {
  test("are filled in by who follows the chain, row for row as if they had been there at once", async () => {
    const [spoiled, fine] = [await start(), await start()];
    await index(fine.store, fine.rpc, isAtHead(fine.store));
    refusesTraces(spoiled.node);
    await index(spoiled.store, spoiled.rpc, isAtHead(spoiled.store));
    expect((await marks(spoiled.store)).length).toBeGreaterThan(2);
    spoiled.node.setSpoil(() => false);
    const isFilled = async () => (await marks(spoiled.store)).length === 0;
    await index(spoiled.store, spoiled.rpc, isFilled, { retracing: { rpc: spoiled.rpc, firstMs: 5 } });
    expect(await indexRowsOf(spoiled.store)).toEqual(await indexRowsOf(fine.store));
  });

  test("are filled in by firn retrace, as far as there are any; a second time it finds nothing", async () => {
    const [spoiled, fine] = [await start(), await start()];
    await index(fine.store, fine.rpc, isAtHead(fine.store));
    refusesTraces(spoiled.node);
    await index(spoiled.store, spoiled.rpc, isAtHead(spoiled.store));
    const missing = (await marks(spoiled.store)).length;
    const retrace = () =>
      retraceChain({ store: spoiled.store, entry: entry(spoiled.node), limits: DEFAULT_LIMITS, log, signal: new AbortController().signal });
    expect(await retrace()).toMatchObject({ filled: 0, left: missing });
    spoiled.node.setSpoil(() => false);
    expect(await retrace()).toEqual({ evmChainId: 43_112n, filled: missing, left: 0 });
    expect(await retrace()).toMatchObject({ filled: 0, left: 0 });
    const [got, expected] = [await indexRowsOf(spoiled.store), await indexRowsOf(fine.store)];
    got.delete("evm_chain_settings 0");
    expect(got).toEqual(expected);
    expect(retraceCommand.usage).toBe("retrace");
  });
});
