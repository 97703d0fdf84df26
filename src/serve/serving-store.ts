/** Opens a serving process's store for reading, finds the network it holds, and watches its files or its database. */
import { readdir, stat, statfs } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Logger } from "pino";
import { MAX_EVM_CHAINS } from "../api/state/committed-states.ts";
import type { TableValue } from "../base/table/table.ts";
import { evmChainStates } from "../evm/index/tables.ts";
import { ingestLog } from "../index/tables.ts";
import { storeNetwork } from "../ingest/store-network.ts";
import type { NetworkInstance } from "../network/network.ts";
import { CatchUpStore } from "../store/catch-up/catch-up-store.ts";
import { openReplicatedStore, storePath } from "../store/open.ts";
import type { PostgresAddress } from "../store/postgres/address.ts";
import { ReopeningStore } from "../store/reopening-store.ts";
import { type DatabaseStore, isInDatabase, type Store, type StoreReader } from "../store/store.ts";
import { storeFormat } from "../store/tables.ts";
import type { DiskUsage } from "./health/health-checks.ts";

export interface ServingStore {
  readonly store: Store;
  readonly network: NetworkInstance;
  /** increases when the store goes on with another file; by default it never does */
  readonly generation?: () => number;
}

interface ServedPlace {
  readonly dataDirectory: string;
  /** undefined: the store is in the data directory */
  readonly store?: PostgresAddress | undefined;
  /** standbys of that database, which are read in its place */
  readonly storeReplicas?: readonly PostgresAddress[] | undefined;
  /** a standby that lags more is not read; undefined: any is */
  readonly maxStalenessSeconds?: number | undefined;
  /** where a change of files, and the loss of the database, is told */
  readonly log: Pick<Logger, "info" | "warn">;
}

export function openServingStore(place: ServedPlace): Promise<ServingStore> {
  const { dataDirectory, store, storeReplicas = [], log } = place;
  if (store === undefined) return openFiles(dataDirectory, log);
  return storeReplicas.length === 0 ? openDatabase(store, log) : openReplicas(store, storeReplicas, place);
}

async function openReplicas(
  primary: PostgresAddress,
  replicas: readonly PostgresAddress[],
  { maxStalenessSeconds, log }: ServedPlace,
): Promise<ServingStore> {
  const { tablesById } = await import("./all-tables.ts");
  const store = await openReplicatedStore({
    primary,
    replicas,
    tables: [...tablesById.values()],
    maxLagMs: maxStalenessSeconds && maxStalenessSeconds * 1000,
    onChange(place, problem) {
      if (problem === undefined) log.info({ place }, "A database of the store is read again");
      else log.warn({ place, reason: problem }, "A database of the store is left out until that is over");
    },
  });
  return withNetwork(store, () => store.openings);
}

async function openDatabase(address: PostgresAddress, log: ServedPlace["log"]): Promise<ServingStore> {
  const [{ openPostgresStore }, { tablesById }] = await Promise.all([
    import("../store/postgres/open-postgres.ts"),
    import("./all-tables.ts"),
  ]);
  const store = await openPostgresStore({ address, tables: [...tablesById.values()] }, { mode: "read" });
  const feed = store.feed!;
  feed.onChange = (problem) => {
    if (problem === undefined) log.info("The database answers again");
    else log.warn({ reason: problem.message }, "The database does not answer; requests are refused until it does");
  };
  return withNetwork(store, () => feed.connections);
}

/** @param generation increases when a database was away: it may have been restored from a backup */
async function withNetwork(store: DatabaseStore, generation: () => number): Promise<ServingStore> {
  try {
    const { network } = await storeNetwork(store, store.place, "--store");
    return { store, network, generation };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openFiles(dataDirectory: string, log: ServedPlace["log"]): Promise<ServingStore> {
  const onReplaced = (problem: string | undefined) => {
    if (problem === undefined) log.info("Another process replaced the store's file; the new one is served from now on");
    else log.warn({ reason: problem }, "Another process replaced the store's file; the old one is served on");
  };
  const store = await ReopeningStore.open({ directory: dataDirectory, continues, onReplaced });
  try {
    const { network } = await storeNetwork(store, dataDirectory);
    return { store, network, generation: () => store.replacements };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Whether whatever was answered from one state holds for a store that has another: it has the same blocks in the same order, and maybe more.
 * Rows of the same format follow from them.
 */
async function continues(before: StoreReader, next: StoreReader): Promise<string | undefined> {
  const [format, nextFormat] = await Promise.all([before, next].map((reader) => reader.get(storeFormat, { slot: 0 })));
  if (JSON.stringify(format) !== JSON.stringify(nextFormat)) return "it holds another network, or has another format";
  const [last] = await before.scan(ingestLog, { reverse: true, limit: 1 });
  const same = last && (await next.get(ingestLog, last.key));
  if (last !== undefined && (same === undefined || !isSameItem(same, last.value))) return "it does not have the blocks of the old one";
  for (const { key, value } of await before.scan(evmChainStates, { limit: MAX_EVM_CHAINS })) {
    const state = await next.get(evmChainStates, key);
    if (state === undefined || state.commits < value.commits) return "its EVM chains are behind those of the old one";
  }
  return undefined;
}

function isSameItem(a: TableValue<typeof ingestLog>, b: TableValue<typeof ingestLog>): boolean {
  return a.kind === b.kind && a.chainId === b.chainId && Buffer.compare(a.ref, b.ref) === 0;
}

export async function diskUsage(dataDirectory: string): Promise<DiskUsage> {
  const { bavail, blocks, bsize } = await statfs(dataDirectory, { bigint: true });
  return { availableBytes: bavail * bsize, totalBytes: blocks * bsize };
}

export interface StoreDisk extends Partial<DiskUsage> {
  readonly storeBytes: number;
}

/** The size of the store, and the disk that has its files. Only the server of a database knows that. */
export async function storeDisk(dataDirectory: string, store: Store): Promise<StoreDisk> {
  if (isInDatabase(store)) return { storeBytes: await store.sizeBytes() };
  const [usage, files] = await Promise.all([diskUsage(dataDirectory), filesIn(storePath(dataDirectory), { isDeep: true })]);
  return { ...usage, storeBytes: [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Returns a check of what the store is in. */
export async function storeWatch(dataDirectory: string, store: Store): Promise<() => Promise<string | undefined>> {
  if (!isInDatabase(store)) return storeFileWatch(dataDirectory, store);
  return async () => void (await store.check());
}

/**
 * Returns a check that the opened files are still the store's. A mapped file stays readable after its directory is deleted or replaced, so
 * reading alone does not tell. A store's file never shrinks; if one did, reading the part that was cut off would end the process (SIGBUS).
 */
async function storeFileWatch(dataDirectory: string, store: Store): Promise<() => Promise<string | undefined>> {
  const directory = storePath(dataDirectory);
  let opened = await filesIn(directory);
  // a store that catches up in this process replaces its file itself; one that is only read goes on with the one that replaces it
  const replacementsOf = () => (store instanceof CatchUpStore || store instanceof ReopeningStore ? store.replacements : 0);
  let replacements = replacementsOf();
  return async () => {
    if (store instanceof ReopeningStore) {
      await store.look();
      if (store.problem !== undefined) return `the store's file was replaced by another: ${store.problem}; restart to serve it`;
    }
    if (replacementsOf() !== replacements) {
      replacements = replacementsOf();
      opened = await filesIn(directory);
    }
    const now = await filesIn(directory).catch((error: NodeJS.ErrnoException) => error);
    if (now instanceof Error) return `the store's directory cannot be read: ${now.message}`;
    for (const [name, before] of opened) {
      const file = now.get(name);
      if (file === undefined) return `the store's file ${name} is gone`;
      if (file.inode !== before.inode) return `the store's file ${name} was replaced by another; restart to serve it`;
      if (file.bytes < before.bytes) return `the store's file ${name} was cut off: it has ${file.bytes} bytes and had ${before.bytes}`;
      before.bytes = file.bytes;
    }
    return undefined;
  };
}

interface WatchedFile {
  readonly inode: number;
  /** the largest size seen */
  bytes: number;
}

/** @param isDeep with those that a store has while it catches up */
async function filesIn(directory: string, { isDeep = false } = {}): Promise<Map<string, WatchedFile>> {
  const entries = await readdir(directory, { recursive: isDeep, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => relative(directory, join(entry.parentPath, entry.name)));
  const look = async (name: string) => {
    const { ino, size } = await stat(join(directory, name));
    return [name, { inode: ino, bytes: size }] as const;
  };
  return new Map(await Promise.all(names.map(look)));
}
