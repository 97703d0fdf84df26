/** A recording, replayed by a node and indexed by the real ingester with the real token service. */

import { pino } from "pino";
import { expect } from "vitest";
import { evmContractQueue, evmNftQueue } from "../../../src/evm/index/token-tables.ts";
import { EvmIngester } from "../../../src/evm/ingest/evm-ingester.ts";
import { openTokenService, type TokenService } from "../../../src/evm/tokens/token-service.ts";
import type { EvmSource } from "../../../src/sources/evm/evm-source.ts";
import { parseBlock } from "../../../src/sources/evm/parser/block-parser.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { type EvmRecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { eventuallyHolds } from "../../patience.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { type Recording, readRecording } from "../replay-rpc/recording.ts";
import { type ReplayRpc, startReplayRpc } from "../replay-rpc/replay-rpc.ts";

export const CHAIN = 5;
export const NO_FETCHES = { fetches: false, ipfsGateway: undefined, maxBytes: 100_000, timeoutMs: 1000 };

export interface FollowedRecording {
  readonly store: Store;
  readonly service: TokenService;
  readonly recording: Recording;
  readonly folder: string;
  readonly node: ReplayRpc;
  /** Resolves when nothing is due. */
  quiet(): Promise<void>;
}

export async function withFollowedRecording(name: EvmRecordingName, check: (followed: FollowedRecording) => Promise<void>): Promise<void> {
  const folder = recordingFolder(name);
  const recording = readRecording(folder);
  const log = pino({ level: "silent" });
  const node = await startReplayRpc({ recording: folder });
  const rpc = openUpstreamRpc({ urls: [node.url], log });
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  const service = await openTokenService({ store, chain: CHAIN, rpc, settings: { multicall: undefined, nfts: NO_FETCHES }, log });
  try {
    const blocks = recording.blocks.map(({ block, receipts, traces }) => parseBlock({ block, receipts, traces: traces ?? undefined }));
    const ingesting = new AbortController();
    const head = { height: blocks.at(-1)!.height, timestamp: blocks.at(-1)!.timestamp };
    const source: EvmSource = {
      async *batches() {
        yield { blocks, head };
        ingesting.abort();
      },
    };
    await new EvmIngester({
      store,
      chain: { chain: CHAIN, evmChainId: 43_112n, startHeight: 0n, maxReorgDepth: 0 },
      source,
      classifier: service.classifier,
      upstream: { committed: () => {}, tell: (problem) => expect.unreachable(problem) },
      log,
      onCommit: () => service.committed(),
    }).run(ingesting.signal);
    await check({ store, service, recording, folder, node, quiet: () => quiet(store) });
  } finally {
    await service.stop();
    await rpc.close();
    await node.close();
    await store.close();
  }
}

async function quiet(store: Store): Promise<void> {
  const dueNow = { prefix: { chain: CHAIN }, until: { dueAt: 1n }, limit: 1 };
  await eventuallyHolds(async () =>
    expect([...(await store.scan(evmContractQueue, dueNow)), ...(await store.scan(evmNftQueue, dueNow))]).toEqual([]),
  );
}
