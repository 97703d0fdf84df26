/** `firn follow` in this process: follows a chain's nodes into a new store, and serves it. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/cli/config.ts";
import { followAndServe } from "../../../src/cli/follow/follow-chains.ts";
import type { EvmChainEntry } from "../../../src/evm/chain-entry.ts";
import type { TokenTiming } from "../../../src/evm/ingest/followed-chain.ts";
import { DataClient } from "../../api/data/oracle/client.ts";
import { eventually } from "../../patience.ts";
import { databaseOf, removeStore } from "../stores.ts";

export interface Followed {
  readonly url: string;
  /** Resolves when the API shows this block, or one above it. */
  indexedTo(chainId: string, height: number): Promise<void>;
  stop(): Promise<void>;
}

/** A clock that runs away – a day is some seconds – so that contracts are asked again where an operator would wait. */
// biome-ignore lint/plugin: it only goes on; no answer depends on how far
export const HASTE = { clock: () => 10n * BigInt(Date.now()), idleMs: 100 } satisfies TokenTiming;

/** @param directory of the store, which stays; undefined: one that is removed */
export async function followHere(entries: readonly EvmChainEntry[], timing: TokenTiming = HASTE, directory?: string): Promise<Followed> {
  const dataDir = directory ?? mkdtempSync(join(tmpdir(), "firn-follow-"));
  const store = await databaseOf(dataDir);
  const flags = { dataDir, ...(store && { store }), httpPort: "0", workers: "1", logLevel: process.env.FIRN_LOG_LEVEL ?? "silent" };
  const stopping = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  const url = await new Promise<string>((resolve, reject) => {
    const tell = (text: string) => resolve(/http:\S+/.exec(text)![0]);
    ended = followAndServe(readConfig({ flags, environment: {} }), entries, stopping.signal, tell, timing);
    ended.catch(reject);
  });
  return {
    url,
    async indexedTo(chainId, height) {
      const client = new DataClient(url);
      await eventually(async () => {
        const { status, body } = await client.ask(`/chains/${chainId}/blocks`, { pageSize: 1 });
        const newest = status === 200 ? (body.blocks as { blockNumber: string }[])[0] : undefined;
        return newest !== undefined && Number(newest.blockNumber) >= height;
      });
    },
    async stop() {
      stopping.abort();
      await ended;
      if (directory === undefined) await removeStore(dataDir);
    },
  };
}
