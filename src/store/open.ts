/** Opens a store. This is the only place that chooses a backend. Without PostgreSQL the store is in `<data directory>/store`. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FirnError } from "../base/errors/errors.ts";
import { makeDirectory } from "../base/files/make-directory.ts";
import { problemOf } from "../base/files/problem.ts";
import { type CatchUpOptions, CatchUpStore } from "./catch-up/catch-up-store.ts";
import { finishSettling } from "./catch-up/layers.ts";
import { readManifest } from "./catch-up/manifest.ts";
import { checkFormat, type ExpectedFormat } from "./format.ts";
import { hasDataFile } from "./lmdb/file-check.ts";
import { LmdbStore } from "./lmdb/lmdb-store.ts";
import type { PostgresPlace, ReplicatedPlaces, WaitingForLease } from "./postgres/place.ts";
import type { ReplicatedReads, Store } from "./store.ts";
import { storeFormat, storeWriter } from "./tables.ts";
import { giveBackLease, takeLease } from "./writer-lease.ts";

/** Where a store is: in PostgreSQL if that is given, otherwise in the data directory. */
export interface StorePlace {
  /** the data directory */
  directory: string;
  postgres?: PostgresPlace | undefined;
}

interface OpenStoreOptions extends StorePlace, ExpectedFormat {
  /** `write` creates the store if it does not exist, and keeps other writers out until `close` */
  mode: "read" | "write";
  /** most bytes that the store may grow to */
  maxBytes?: number;
  /** the store need not survive a crash of the machine, so commits are not flushed to disk */
  isTemporary?: boolean;
  /** for writing to PostgreSQL while another process does: by default it is refused */
  waiting?: WaitingForLease | undefined;
}

/** A store in a folder of this machine, which can be copied. */
export type FolderStore = Store & Pick<LmdbStore, "copyTo">;

/** Opens the store: in a data directory for writing with the files that a process left which was catching up. */
export function openStore(options: OpenStoreOptions & { postgres?: undefined }): Promise<FolderStore>;
export function openStore(options: OpenStoreOptions): Promise<Store>;
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  if (options.postgres !== undefined) return openInPostgres(options.postgres, options);
  const store = await openDataFile(options);
  return options.mode === "write" && isCatchingUp(options.directory) ? catchUpStore(store, options) : store;
}

/** A store that takes many rows. */
export interface BulkStore extends Store {
  /** Puts the rows in their place for good. */
  finish(signal?: AbortSignal): Promise<void>;
  /** settled when this process may not write any more; undefined: that does not happen */
  readonly lost?: Promise<FirnError> | undefined;
}

/** Opens the store for writing much: see `catch-up/catch-up-store.ts`. PostgreSQL takes the rows as they come. */
export function openCatchUpStore(
  options: Omit<OpenStoreOptions, "mode"> & { postgres?: undefined },
  catchUp: CatchUpOptions,
): Promise<CatchUpStore>;
export function openCatchUpStore(options: Omit<OpenStoreOptions, "mode">, catchUp: CatchUpOptions): Promise<BulkStore>;
export async function openCatchUpStore(options: Omit<OpenStoreOptions, "mode">, catchUp: CatchUpOptions): Promise<BulkStore> {
  const open = { ...options, mode: "write" } as const;
  return open.postgres === undefined ? catchUpStore(await openDataFile(open), open, catchUp) : openInPostgres(open.postgres, open);
}

/** Loaded when it is needed: most stores are not in PostgreSQL. */
async function openInPostgres(place: PostgresPlace, options: OpenStoreOptions): Promise<BulkStore> {
  const { openPostgresStore } = await import("./postgres/open-postgres.ts");
  return openPostgresStore(place, options);
}

/** Opens a database and its standbys for reading. */
export async function openReplicatedStore(places: ReplicatedPlaces): Promise<ReplicatedReads> {
  const { ReplicatedStore } = await import("./postgres/replicated-store.ts");
  return ReplicatedStore.open(places);
}

/** Whether the data file is an older state, above which a process has committed more. */
export function isCatchingUp(directory: string): boolean {
  return readManifest(storePath(directory)) !== undefined;
}

/** What a process that only reads says of such a store. */
export function catchingUpSentence(directory: string): string | undefined {
  if (!isCatchingUp(directory)) return undefined;
  return `the store in ${directory} is catching up: this is its state when that began; what was written since is in files beside it, until the writing process merges them`;
}

async function catchUpStore(home: LmdbStore, options: OpenStoreOptions, catchUp?: CatchUpOptions): Promise<CatchUpStore> {
  const { directory, maxBytes, isTemporary = false } = options;
  try {
    return new CatchUpStore(home, { dataDirectory: directory, path: storePath(directory), maxBytes, isTemporary }, catchUp);
  } catch (error) {
    await home.close();
    throw error;
  }
}

async function openDataFile(options: OpenStoreOptions): Promise<LmdbStore> {
  const path = storePath(options.directory);
  if (options.mode === "read") requireStore(options.directory);
  else {
    requireFolder(options);
    finishSwap(options.directory);
  }
  const isNew = options.mode === "write" && startStore(options.directory);
  const store = new LmdbStore({
    directory: path,
    isReadOnly: options.mode === "read",
    mayBeEmpty: isNew,
    ...(options.maxBytes !== undefined && { maxBytes: options.maxBytes }),
    ...(options.isTemporary && { isTemporary: true }),
  });
  if (isNew) rmSync(startedPath(options.directory), { force: true });
  try {
    await store.checkPages();
    requireTables(store, options.directory);
    checkFormat(await store.get(storeFormat, { slot: 0 }), options, { name: options.directory, option: "--data-dir" });
    if (options.mode === "write") {
      store.lease((read) => takeLease(read(storeWriter, { slot: 0 }), options.directory), giveBackLease);
    }
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Copies the newest committed state into another data directory, which must not have a store. */
export async function copyStore(store: FolderStore, directory: string): Promise<void> {
  mkdirSync(storePath(directory), { recursive: true });
  await store.copyTo(storePath(directory));
}

/** Completes an interrupted replacement of the store, and tells whether there is one. */
function hasStore(directory: string): boolean {
  requireFolder({ directory, mode: "read" });
  const path = storePath(directory);
  if (!existsSync(path)) finishSwap(directory);
  return hasDataFile(path);
}

export function requireStore(directory: string): void {
  if (hasStore(directory)) return;
  throw new FirnError(
    "store-missing",
    `there is no store in ${directory}; create one with: firn import <recording> --data-dir ${directory}, or: firn follow --rpc <url> --data-dir ${directory}`,
    { directory },
  );
}

function requireFolder({ directory, mode }: OpenStoreOptions): void {
  try {
    if (mode === "write") makeDirectory(directory);
    else readdirSync(directory);
  } catch (error) {
    if (mode === "read" && (error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw folderError(directory, error);
  }
}

function folderError(directory: string, cause: unknown): FirnError {
  const reason = (cause instanceof FirnError ? cause.facts.reason : problemOf(cause)) ?? (cause as Error).message;
  const sentence = `${directory} cannot be used as a folder: ${reason}; use another --data-dir`;
  return new FirnError("store-folder", sentence, { directory }, { cause });
}

function requireTables(store: LmdbStore, directory: string): void {
  if (store.holdsTables()) return;
  throw new FirnError("store-foreign", `${storePath(directory)} belongs to another program; use another --data-dir`, { directory });
}

export function storePath(directory: string): string {
  return join(directory, "store");
}

/**
 * Whether the store is being created now. A marker file exists until the store has its first pages: a process killed before that leaves an
 * empty data file, which without the marker would mean damage.
 */
function startStore(directory: string): boolean {
  const mark = startedPath(directory);
  if (existsSync(mark)) return true;
  if (hasDataFile(storePath(directory))) return false;
  try {
    mkdirSync(storePath(directory), { recursive: true });
    writeFileSync(mark, "");
  } catch (error) {
    throw folderError(directory, error);
  }
  return true;
}

function startedPath(directory: string): string {
  return `${storePath(directory)}.started`;
}

/** A data directory inside the data directory, in which a replacement of the store is built. */
export function rebuildDirectory(directory: string): string {
  return join(directory, "rebuilding");
}

/**
 * Replaces the old store by the rebuilt one; both must be closed. A directory cannot be replaced in one step: a crash between the two
 * renames leaves no `store`, but an old and a complete rebuilt one, and the next process to open it completes the second rename.
 */
export function swapInRebuilt(directory: string): void {
  rmSync(oldPath(directory), { recursive: true, force: true });
  renameSync(storePath(directory), oldPath(directory));
  finishSwap(directory);
}

function finishSwap(directory: string): void {
  finishSettling(storePath(directory));
  if (existsSync(oldPath(directory)) && !existsSync(storePath(directory))) {
    try {
      renameSync(storePath(rebuildDirectory(directory)), storePath(directory));
    } catch (error) {
      // another process opened the store meanwhile and completed it
      if (!existsSync(storePath(directory))) throw error;
    }
    rmSync(rebuildDirectory(directory), { recursive: true, force: true });
  }
  rmSync(oldPath(directory), { recursive: true, force: true });
}

function oldPath(directory: string): string {
  return `${storePath(directory)}.old`;
}
