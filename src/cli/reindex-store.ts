/** What `firn reindex` does; loaded when it runs, since serving needs none of it. */
import { rmSync } from "node:fs";
import { devnetClock, devnetUptimes } from "../devnet/tables.ts";
import * as evmTables from "../index/evm/tables.ts";
import * as evmTokenTables from "../index/evm/token-tables.ts";
import { ingestSource } from "../ingest/ingest-source.ts";
import { DEFAULT_BATCH } from "../ingest/ingester.ts";
import { storeNetwork } from "../ingest/store-network.ts";
import { openStoreReplay } from "../ingest/store-replay.ts";
import { isStandalone } from "../network/standalone.ts";
import { FirnError } from "../primitives/errors.ts";
import type { Change, Table } from "../primitives/table.ts";
import { openStore, rebuildDirectory, swapInRebuilt } from "../store/open.ts";
import { type Store, type StoreReader, scanAll } from "../store/store.ts";
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
    await requireBlocks(old, directory);
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
      await copyRows(old, rebuilt, KEPT_TABLES);
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

async function requireBlocks(store: StoreReader, directory: string): Promise<void> {
  if (!isStandalone((await storeNetwork(store, directory)).network)) return;
  throw new FirnError(
    "reindex-evm",
    `${directory} holds EVM chains only, whose blocks it does not keep: index them again from their nodes with firn follow and an empty --data-dir`,
    { directory },
  );
}

/** What no block of the store tells: of a devnet, and of EVM chains, whose blocks are their nodes'. */
const KEPT_TABLES: readonly Table[] = [devnetClock, devnetUptimes, ...tablesOf(evmTables), ...tablesOf(evmTokenTables)];
const ROWS_PER_COMMIT = 50_000;

async function copyRows(from: Store, to: Store, tables: readonly Table[]): Promise<void> {
  let changes: Change[] = [];
  for (const table of tables) {
    for await (const { key, value } of scanAll(from, table)) {
      if (changes.push({ table, key, value }) < ROWS_PER_COMMIT) continue;
      await to.commit(changes);
      changes = [];
    }
  }
  if (changes.length > 0) await to.commit(changes);
}

function tablesOf(module: object): Table[] {
  return Object.values(module).filter((member) => typeof member === "object" && "key" in member);
}
