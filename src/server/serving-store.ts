/** Opens a serving process's store for reading, finds the network it holds, and watches its files. */
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { storeNetwork } from "../ingest/store-network.ts";
import type { NetworkInstance } from "../network/network.ts";
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
  const [usage, files] = await Promise.all([diskUsage(dataDirectory), filesIn(storePath(dataDirectory))]);
  return { ...usage, storeBytes: [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0) };
}

/**
 * Returns a check that the opened files are still the store's. A mapped file stays readable after its directory is deleted or replaced, so
 * reading alone does not tell. A store's file never shrinks; if one did, reading the part that was cut off would end the process (SIGBUS).
 */
export async function storeFileWatch(dataDirectory: string): Promise<() => Promise<string | undefined>> {
  const directory = storePath(dataDirectory);
  const opened = await filesIn(directory);
  return async () => {
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

async function filesIn(directory: string): Promise<Map<string, WatchedFile>> {
  const names = await readdir(directory);
  const look = async (name: string) => {
    const { ino, size } = await stat(join(directory, name));
    return [name, { inode: ino, bytes: size }] as const;
  };
  return new Map(await Promise.all(names.map(look)));
}
