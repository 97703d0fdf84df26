/** Implements `firn reindex`; loaded when that runs, because serving does not need it. */
import { rmSync } from "node:fs";
import { FirnError } from "../../base/errors/errors.ts";
import type { Change, Table } from "../../base/table/table.ts";
import { evmChains } from "../../evm/index/tables.ts";
import { ingestSource } from "../../ingest/ingest-source.ts";
import { DEFAULT_BATCH } from "../../ingest/ingester.ts";
import { storeNetwork } from "../../ingest/store-network.ts";
import { openStoreReplay } from "../../ingest/store-replay.ts";
import { isStandalone } from "../../network/standalone.ts";
import { keptTablesOf } from "../../serve/kept-tables.ts";
import { EVM_STORE_FORMAT } from "../../store/format.ts";
import { openCatchUpStore, openStore, rebuildDirectory, type StorePlace, swapInRebuilt } from "../../store/open.ts";
import { dropRebuild, rebuildAddress, swapInRebuild } from "../../store/postgres/rebuild.ts";
import { type Store, type StoreReader, scanAll } from "../../store/store.ts";
import { storeFormat } from "../../store/tables.ts";
import type { Config } from "../config.ts";
import { openLog } from "../log.ts";
import { IngestProgress } from "../progress.ts";
import { storePlace } from "./store-place.ts";

/** Builds a new store beside the old one, which stays in use until the new one is complete. A crash leaves the old one. */
export async function reindex(config: Config, signal: AbortSignal): Promise<string> {
  const directory = config.dataDir;
  // opened for writing, so that no other process ingests meanwhile
  const place = storePlace(config);
  const old = await openStore({ ...place, mode: "write", acceptsOlderFormat: true });
  let summary: string;
  try {
    await requireBlocks(old, directory);
    const rebuilding = await startRebuild(place);
    const source = await openStoreReplay(old, directory);
    const log = openLog(config);
    const rebuilt = await openCatchUpStore({ ...rebuilding, network: source.network }, { log });
    const progress = new IngestProgress({ log, terminal: process.stderr, fractionRead: () => source.fractionRead });
    try {
      const chains = await ingestSource({
        store: rebuilt,
        source,
        level: config.level,
        readThreads: config.readThreads,
        limits: { ...DEFAULT_BATCH, blocks: config.batchBlocks },
        onCommit: progress.committed.bind(progress),
        signal,
      });
      const format = (await old.get(storeFormat, { slot: 0 }))!.version;
      await copyRows(old, rebuilt, keptTablesOf(format));
      summary = progress.summary(chains) + (await evmNotice(rebuilt, format));
      progress.end();
      await rebuilt.finish(signal);
    } finally {
      progress.end();
      await rebuilt.close();
    }
    // others may write the old one as soon as it is closed
    if (place.postgres !== undefined && !signal.aborted) await swapInRebuild(place.postgres.address);
  } finally {
    await old.close();
  }
  if (signal.aborted) return "stopped: the store is as it was";
  if (place.postgres === undefined) swapInRebuilt(directory);
  return `${summary}\nprocesses that serve this store go on with it`;
}

/** Where the new store is built; what an earlier attempt left there is removed. */
async function startRebuild({ directory, postgres }: StorePlace): Promise<StorePlace> {
  if (postgres === undefined) {
    rmSync(rebuildDirectory(directory), { recursive: true, force: true });
    return { directory: rebuildDirectory(directory) };
  }
  await dropRebuild(postgres.address);
  return { directory, postgres: { ...postgres, address: rebuildAddress(postgres.address) } };
}

async function evmNotice(rebuilt: StoreReader, format: number): Promise<string> {
  if (format >= EVM_STORE_FORMAT || (await rebuilt.scan(evmChains, { limit: 1 })).length === 0) return "";
  return `\nformat ${format} kept EVM chains in other rows: they are indexed again from their nodes when firn follow or firn devnet runs`;
}

async function requireBlocks(store: StoreReader, directory: string): Promise<void> {
  if (!isStandalone((await storeNetwork(store, directory)).network)) return;
  throw new FirnError(
    "reindex-evm",
    `${directory} holds only EVM chains, and Firn does not keep their blocks; index them again from their nodes with firn follow and an empty --data-dir`,
    { directory },
  );
}

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
