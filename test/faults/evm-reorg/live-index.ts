/** The index of a live chain, made as `firn follow` does: RPC, source, ingester, token service, and a store on disk. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { TableValue } from "../../../src/base/table/table.ts";
import type { ReadWriteLock } from "../../../src/base/work/read-write-lock.ts";
import { evmChainStates } from "../../../src/evm/index/tables.ts";
import { evmContractMetadata } from "../../../src/evm/index/token-tables.ts";
import { type EvmCommitted, EvmIngester } from "../../../src/evm/ingest/evm-ingester.ts";
import { openTokenService } from "../../../src/evm/tokens/token-service.ts";
import { rpcSource } from "../../../src/sources/evm/rpc-source.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import type { OpenUpstreamRpc } from "../../../src/sources/upstream/upstream-rpc.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import { indexRowsOf } from "../evm-kill/index-rows.ts";

const CHAIN = 1;
const NO_FETCHES = { fetches: false, ipfsGateway: undefined, maxBytes: 1, timeoutMs: 1 };
export interface LiveIndex {
  /** Resolves when this block is the newest indexed one; rejects if indexing ended. */
  untilAt(hash: string): Promise<void>;
  /** Every row of the index as bytes; without `commits`, which names a state and is never the same twice. */
  rows(): Promise<Map<string, string>>;
  /** What is known of a contract, as the contract said it; undefined: nothing. */
  metadata(contract: string): Promise<TableValue<typeof evmContractMetadata> | undefined>;
  /** blocks that were undone at once, at most */
  readonly deepest: number;
  /** blocks that were undone */
  readonly undone: number;
  close(): Promise<void>;
}

export interface LiveIndexOptions {
  readonly url: string;
  readonly maxReorgDepth: number;
  /** that requests pass */
  readonly lock: ReadWriteLock;
}

export async function openLiveIndex({ url, maxReorgDepth, lock }: LiveIndexOptions): Promise<LiveIndex> {
  const log = pino({ level: process.env.FIRN_TEST_LOG ?? "silent" });
  const directory = mkdtempSync(join(tmpdir(), "firn-live-"));
  const store = new LmdbStore({ directory, isReadOnly: false, isTemporary: true });
  const upstream = openUpstreamRpc({ urls: [url], log });
  const rpc: OpenUpstreamRpc = {
    // the node goes on with what is given up, so nothing is
    request: (method, params, { signal, ...options } = {}) => lock.shared(() => upstream.request(method, params, options)),
    requestAll: (calls, { signal, ...options } = {}) => lock.shared(() => upstream.requestAll(calls, options)),
    subscribeHeads: (...listener) => upstream.subscribeHeads(...listener),
    close: () => upstream.close(),
  };
  const tokens = await openTokenService({ store, chain: CHAIN, rpc, settings: { multicall: undefined, nfts: NO_FETCHES }, log });
  const source = rpcSource({ rpc, startBlock: 0n, maxReorgDepth, traces: true, log, pollMs: 10 });
  const undone = { most: 0, sum: 0 };
  let onChange = () => {};
  const ingester = new EvmIngester({
    store,
    chain: { chain: CHAIN, evmChainId: 43_112n, startHeight: 0n, maxReorgDepth },
    source,
    classifier: tokens.classifier,
    upstream: { committed: () => {}, tell: (problem) => log.warn(problem) },
    log,
    retryMs: 50,
    onCommit(committed: EvmCommitted) {
      undone.most = Math.max(undone.most, committed.undone);
      undone.sum += committed.undone;
      tokens.committed();
      onChange();
    },
  });
  const stopping = new AbortController();
  const running = ingester.run(stopping.signal);
  running.catch(() => {});
  return {
    async untilAt(hash) {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          onChange = resolve;
        });
        if (`0x${(await store.get(evmChainStates, { chain: CHAIN }))?.hash}` === hash) return;
        await Promise.race([changed, running]);
      }
    },
    rows: () => indexRowsOf(store),
    metadata: async (contract) => store.get(evmContractMetadata, { chain: CHAIN, contract: contract.slice(2).toLowerCase() }),
    get deepest() {
      return undone.most;
    },
    get undone() {
      return undone.sum;
    },
    async close() {
      stopping.abort();
      await running.catch(() => {});
      await tokens.stop();
      await rpc.close();
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
