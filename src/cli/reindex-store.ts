/** What `firn reindex` does; loaded when it runs, since serving needs none of it. */
import { rmSync } from "node:fs";
import { devnetClock, devnetUptimes } from "../devnet/tables.ts";
import { ingestSource } from "../ingest/ingest-source.ts";
import { DEFAULT_BATCH } from "../ingest/ingester.ts";
import { openStoreReplay } from "../ingest/store-replay.ts";
import type { Change, Table } from "../primitives/table.ts";
import { openStore, rebuildDirectory, swapInRebuilt } from "../store/open.ts";
import { type Store, scanAll } from "../store/store.ts";
import type { Config } from "./config.ts";
import { openLog } from "./log.ts";
import { IngestProgress } from "./progress.ts";

/** Builds a new store beside the old one, which stays in use until the new one is complete. A crash leaves the old one. */
export async function reindex(config: Config, signal: AbortSignal): Promise<string> {
  const directory = config.dataDir;
  // held for writing, so that nothing is ingested meanwhile
  const old = await openStore({ directory, mode: "write", acceptsOlderFormat: true });
  let summary: string;
  try {
    rmSync(rebuildDirectory(directory), { recursive: true, force: true });
    const source = await openStoreReplay(old, directory);
    const rebuilt = await openStore({ directory: rebuildDirectory(directory), mode: "write", network: source.network });
    const progress = new IngestProgress({ log: openLog(config), terminal: process.stderr, fractionRead: () => source.fractionRead });
    try {
      const chains = await ingestSource({
        store: rebuilt,
        source,
        level: config.level,
        limits: { ...DEFAULT_BATCH, blocks: config.batchBlocks },
        onCommit: progress.committed.bind(progress),
        signal,
      });
      await copyDevnet(old, rebuilt);
      summary = progress.summary(chains);
    } finally {
      progress.end();
      await rebuilt.close();
    }
  } finally {
    await old.close();
  }
  if (signal.aborted) return "stopped: the store is as it was";
  swapInRebuilt(directory);
  return `${summary}\nrestart what serves this store`;
}

/** What no block tells of a devnet. */
async function copyDevnet(from: Store, to: Store): Promise<void> {
  for (const table of [devnetClock, devnetUptimes] as readonly Table[]) {
    const changes: Change[] = [];
    for await (const { key, value } of scanAll(from, table)) changes.push({ table, key, value });
    if (changes.length > 0) await to.commit(changes);
  }
}
