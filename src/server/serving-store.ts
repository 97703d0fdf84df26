/** Opens a serving process's store for reading, finds the network it holds, and watches its files. */
import { readdir, stat, statfs } from "node:fs/promises";
import { join, relative } from "node:path";
import { storeNetwork } from "../ingest/store-network.ts";
import type { NetworkInstance } from "../network/network.ts";
import { CatchUpStore } from "../store/catch-up/catch-up-store.ts";
import { openStore, storePath } from "../store/open.ts";
import type { Store } from "../store/store.ts";
import type { DiskUsage } from "./health-checks.ts";

export interface ServingStore {
  readonly store: Store;
  readonly network: NetworkInstance;
}

export async function openServingStore(dataDirectory: string): Promise<ServingStore> {
  const store = await openStore({ directory: dataDirectory, mode: "read" });
  try {
    return { store, network: (await storeNetwork(store, dataDirectory)).network };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export async function diskUsage(dataDirectory: string): Promise<DiskUsage> {
  const { bavail, blocks, bsize } = await statfs(dataDirectory, { bigint: true });
  return { availableBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** The disk that has the store, and the size of the store's files. */
export async function storeDisk(dataDirectory: string): Promise<DiskUsage & { storeBytes: number }> {
  const [usage, files] = await Promise.all([diskUsage(dataDirectory), filesIn(storePath(dataDirectory), { isDeep: true })]);
  return { ...usage, storeBytes: [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0) };
}

/**
 * Returns a check that the opened files are still the store's. A mapped file stays readable after its directory is deleted or replaced, so
 * reading alone does not tell. A store's file never shrinks; if one did, reading the part that was cut off would end the process (SIGBUS).
 */
export async function storeFileWatch(dataDirectory: string, store: Store): Promise<() => Promise<string | undefined>> {
  const directory = storePath(dataDirectory);
  let opened = await filesIn(directory);
  // a store that catches up in this process replaces its file itself
  const replacementsOf = () => (store instanceof CatchUpStore ? store.replacements : 0);
  let replacements = replacementsOf();
  return async () => {
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
