/**
 * The store of a process that only reads. When another process puts a new data file in the place of the one that is open – at the end of catching
 * up, or after a rebuild – it goes on with that one, if it continues the state that was read so far. The old file stays open until nobody
 * reads it any more: a snapshot is one state of one file.
 */
import { stat } from "node:fs/promises";
import { dataFile } from "./lmdb/file-check.ts";
import { openStore, storePath } from "./open.ts";
import type { Store, StoreReader } from "./store.ts";
import { SwitchedStore } from "./switched-store.ts";

/** Tells why a file does not continue the state that was read so far; undefined if it does. */
export type Continues = (before: StoreReader, next: StoreReader) => Promise<string | undefined>;

interface ReopeningOptions {
  /** the data directory */
  readonly directory: string;
  readonly continues: Continues;
  /** called after each change of files, and with the reason of each file that is not taken */
  readonly onReplaced?: (problem: string | undefined) => void;
}

const LOOK_EVERY_MS = 500;

export class ReopeningStore extends SwitchedStore {
  readonly #options: ReopeningOptions;
  readonly #timer: NodeJS.Timeout;
  #file: OpenFile;
  #replacements = 0;
  #looking: Promise<void> | undefined;
  /** the file at the store's path that was not taken */
  #refused: { readonly identity: string; readonly reason: string } | undefined;
  #isClosed = false;

  private constructor(file: OpenFile, options: ReopeningOptions) {
    super();
    this.#file = file;
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  static async open(options: ReopeningOptions): Promise<ReopeningStore> {
    return new ReopeningStore(await openFile(options.directory), options);
  }

  /** How often another data file took the place of the open one. */
  get replacements(): number {
    return this.#replacements;
  }

  /** Why the data file at the store's path is not the one that is read. */
  get problem(): string | undefined {
    return this.#refused?.reason;
  }

  /** Looks for a new data file now. */
  look(): Promise<void> {
    this.#looking ??= this.#reopen()
      .catch((error: Error) => this.#refuse("", error.message))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  protected override async use<R>(run: (store: Store) => Promise<R>): Promise<R> {
    const file = this.#file;
    file.hold();
    try {
      return await run(file.store);
    } finally {
      await file.release();
    }
  }

  override commit(): Promise<void> {
    throw new Error("this process opened the store for reading only");
  }

  override clear(): Promise<void> {
    return this.commit();
  }

  override async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
    await this.#file.close();
  }

  async #reopen(): Promise<void> {
    const { directory, continues, onReplaced } = this.#options;
    const identity = await identityAt(directory);
    // While one takes the place of the other there may be none
    if (this.#isClosed || identity === undefined || identity === this.#refused?.identity) return;
    if (identity === this.#file.identity) {
      this.#refused = undefined;
      return;
    }
    const next = await openFile(directory);
    const before = this.#file;
    const reason = await before.store.snapshot((old) => next.store.snapshot((reader) => continues(old, reader))).catch(reasonOf);
    if (reason !== undefined || this.#isClosed) {
      await next.release();
      if (reason !== undefined) this.#refuse(next.identity, reason);
      return;
    }
    this.#file = next;
    this.#replacements++;
    this.#refused = undefined;
    onReplaced?.(undefined);
    await before.release();
  }

  /** @param identity empty: it is tried again at the next look */
  #refuse(identity: string, reason: string): void {
    const isTold = this.#refused?.reason === reason;
    this.#refused = { identity, reason };
    if (!isTold) this.#options.onReplaced?.(reason);
  }
}

/** An open data file, which is closed when its last holder lets it go. */
class OpenFile {
  readonly store: Store;
  readonly identity: string;
  #holders = 1;
  #isClosed = false;

  constructor(store: Store, identity: string) {
    this.store = store;
    this.identity = identity;
  }

  hold(): void {
    this.#holders++;
  }

  async release(): Promise<void> {
    if (--this.#holders === 0) await this.close();
  }

  /** Closes it at once, whoever holds it. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.store.close();
  }
}

/** Opens the data file that is at the path before and afterwards. */
async function openFile(directory: string): Promise<OpenFile> {
  for (;;) {
    const before = await identityAt(directory);
    const store = await openStore({ directory, mode: "read" });
    const identity = await identityAt(directory);
    if (identity !== undefined && identity === before) return new OpenFile(store, identity);
    await store.close();
  }
}

/** The number of the data file; undefined: there is none. The number of an open file is not given to another one. */
async function identityAt(directory: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(dataFile(storePath(directory)), { bigint: true });
    return `${dev}/${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function reasonOf(error: Error): string {
  return error.message;
}
