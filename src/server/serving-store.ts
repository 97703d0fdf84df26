/** The store of a serving process: opened for reading, with the network that it holds, and watched for going away. */
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { storeNetwork } from "../ingest/store-network.ts";
import type { NetworkInstance } from "../network/network.ts";
import { openStore } from "../store/open.ts";
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

/**
 * Whether the files that were opened are still the store's. A mapped file stays readable when its directory is gone or another store
 * was put in its place, so reading alone does not tell.
 */
export async function storeFileWatch(dataDirectory: string): Promise<() => Promise<string | undefined>> {
  const directory = join(dataDirectory, "store");
  const opened = await inodes(directory);
  return async () => {
    const now = await inodes(directory).catch((error: NodeJS.ErrnoException) => error);
    if (now instanceof Error) return `the store's directory cannot be read: ${now.message}`;
    for (const [name, inode] of opened) {
      if (!now.has(name)) return `the store's file ${name} is gone`;
      if (now.get(name) !== inode) return `the store's file ${name} was replaced by another; restart to serve it`;
    }
    return undefined;
  };
}

async function inodes(directory: string): Promise<Map<string, number>> {
  const names = await readdir(directory);
  return new Map(await Promise.all(names.map(async (name) => [name, (await stat(join(directory, name))).ino] as const)));
}
