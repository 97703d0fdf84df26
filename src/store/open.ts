/**
 * Opens the store of a data directory: the one place that chooses a backend, and that holds a store against the network and the format
 * which the caller expects. The store lives in `<directory>/store`.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { FirnError } from "../primitives/errors.ts";
import { EMPTY_ID, type Id } from "../primitives/id.ts";
import type { Change, TableValue } from "../primitives/table.ts";
import { LmdbStore } from "./lmdb/lmdb-store.ts";
import type { Store } from "./store.ts";
import { storeFormat, storeWriter } from "./tables.ts";
import { giveBackLease, takeLease } from "./writer-lease.ts";

/** Raised with every change of a table's layout or meaning; older stores are rebuilt by `firn reindex`. */
export const STORE_FORMAT = 2;

/** What a network's store must have been made from. */
export interface StoreIdentity {
  readonly networkId: number;
  readonly genesisId: Id;
}

export interface OpenStoreOptions {
  /** the data directory */
  directory: string;
  /** `write` creates the store if there is none, and keeps every other writer out until `close` */
  mode: "read" | "write";
  /** refuse a store of another network */
  network?: StoreIdentity;
  /** only `firn reindex` reads older formats */
  acceptsOlderFormat?: boolean;
  /** most bytes the store may grow to */
  maxBytes?: number;
  /** of no use once the machine has gone down: what is committed need not be on disk to outlive the process */
  isTemporary?: boolean;
}

/** A store that lies in a folder of this machine, so that it can be copied as it is. */
export type FolderStore = Store & Pick<LmdbStore, "copyTo">;

export async function openStore(options: OpenStoreOptions): Promise<FolderStore> {
  requireFolder(options);
  const path = storePath(options.directory);
  if (options.mode === "write" || !existsSync(path)) finishSwap(options.directory);
  if (options.mode === "read" && !existsSync(path)) {
    throw new FirnError(
      "store-missing",
      `there is no store in ${options.directory}; make one with: firn import <recording> --data-dir ${options.directory}, or with: firn follow --rpc <url> --data-dir ${options.directory}`,
      {
        directory: options.directory,
      },
    );
  }
  mkdirSync(path, { recursive: true });
  const store = new LmdbStore({
    directory: path,
    isReadOnly: options.mode === "read",
    ...(options.maxBytes !== undefined && { maxBytes: options.maxBytes }),
    ...(options.isTemporary && { isTemporary: true }),
  });
  try {
    checkFormat(await store.get(storeFormat, { slot: 0 }), options);
    if (options.mode === "write") {
      store.lease((read) => takeLease(read(storeWriter, { slot: 0 }), options.directory), giveBackLease);
    }
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Makes another data directory, which has no store yet, hold a complete copy of the newest committed state. */
export async function copyStore(store: FolderStore, directory: string): Promise<void> {
  mkdirSync(storePath(directory), { recursive: true });
  await store.copyTo(storePath(directory));
}

function requireFolder({ directory, mode }: OpenStoreOptions): void {
  try {
    if (mode === "write") mkdirSync(directory, { recursive: true });
    else readdirSync(directory);
  } catch (error) {
    if (mode === "read" && (error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw new FirnError(
      "store-folder",
      `${directory} cannot be used as a folder: ${(error as Error).message}; give another --data-dir`,
      { directory },
      { cause: error },
    );
  }
}

/** The row that makes an empty store a network's; part of the commit of genesis. */
export function formatChange(network: StoreIdentity): Change {
  const value = { version: STORE_FORMAT, networkId: network.networkId, genesisId: network.genesisId };
  return { table: storeFormat, key: { slot: 0 }, value } as Change;
}

function checkFormat(format: TableValue<typeof storeFormat> | undefined, options: OpenStoreOptions): void {
  if (format === undefined) return;
  const { directory, network } = options;
  if (network !== undefined && format.genesisId === EMPTY_ID) {
    throw new FirnError("store-network", `${directory} holds EVM chains without a primary network; use another --data-dir`, { directory });
  }
  if (network !== undefined && (format.networkId !== network.networkId || format.genesisId !== network.genesisId)) {
    throw new FirnError(
      "store-network",
      `${directory} holds network ${format.networkId} (genesis ${format.genesisId.slice(0, 8)}…), not network ${network.networkId} ` +
        `(genesis ${network.genesisId.slice(0, 8)}…); use another --data-dir`,
      { directory, found: format.networkId, expected: network.networkId },
    );
  }
  if (format.version > STORE_FORMAT) {
    throw new FirnError(
      "store-newer",
      `${directory} has store format ${format.version}, this Firn knows up to ${STORE_FORMAT}; use a newer Firn`,
      {
        directory,
        version: format.version,
      },
    );
  }
  if (format.version < STORE_FORMAT && !options.acceptsOlderFormat) {
    throw new FirnError(
      "store-older",
      `${directory} has store format ${format.version}, this Firn needs ${STORE_FORMAT}; rebuild it with: firn reindex --data-dir ${directory}`,
      { directory, version: format.version },
    );
  }
}

function storePath(directory: string): string {
  return join(directory, "store");
}

/** Where a store is made that is to replace the present one: a data directory inside the data directory. */
export function rebuildDirectory(directory: string): string {
  return join(directory, "rebuilding");
}

/**
 * Puts the rebuilt store in the place of the old one; both must be closed. A directory cannot be replaced in one step: a crash between the
 * two leaves no `store` but an old one and a complete rebuilt one, and whoever opens it next takes the second step.
 */
export function swapInRebuilt(directory: string): void {
  rmSync(oldPath(directory), { recursive: true, force: true });
  renameSync(storePath(directory), oldPath(directory));
  finishSwap(directory);
}

function finishSwap(directory: string): void {
  if (existsSync(oldPath(directory)) && !existsSync(storePath(directory))) {
    try {
      renameSync(storePath(rebuildDirectory(directory)), storePath(directory));
    } catch (error) {
      // a process that opened the store meanwhile was faster
      if (!existsSync(storePath(directory))) throw error;
    }
    rmSync(rebuildDirectory(directory), { recursive: true, force: true });
  }
  rmSync(oldPath(directory), { recursive: true, force: true });
}

function oldPath(directory: string): string {
  return `${storePath(directory)}.old`;
}
