/**
 * A store for the process that writes, which keeps its rate when the store is larger than the memory. Up to a size it is the data file, as
 * for everybody else. Keys land anywhere in a B-tree, so one that does not fit into memory reads and writes a page for each row. From then
 * on commits write into a small file above it, the top. A top that has grown is frozen, and a new one begins; a thread merges frozen
 * files. Reads see all of them as one. In the end everything is merged into one new data file, which replaces the old one.
 *
 * Other processes read the data file meanwhile: the state at which it was frozen. `manifest.ts` says which files belong to the store.
 */

import { once } from "node:events";
import { statfs } from "node:fs/promises";
import type { Logger } from "pino";
import type { Change, Row, Table, TableKey, TableValue } from "../../base/table/table.ts";
import { ReadWriteLock } from "../../base/work/read-write-lock.ts";
import { type EncodedRows, encodeRows, rowBytes } from "../encoded-rows.ts";
import { freeBytes, limitReached } from "../lmdb/errors.ts";
import type { KeptRemovals, LmdbStore } from "../lmdb/lmdb-store.ts";
import { type Column, type PartOf, type ScanRange, type Store, type StoreReader, scanAll } from "../store.ts";
import { LayeredReader } from "./layered-reader.ts";
import { Layers } from "./layers.ts";
import { REMOVED } from "./marks.ts";
import { type Merger, ThreadMerger } from "./merger.ts";
import { Merging } from "./merging.ts";

export interface CatchUpBounds {
  /**
   * Size of the data file from which on a layer is put above it: a large commit of random keys writes nearly all of its pages, each of which
   * LMDB holds in memory until then.
   */
  readonly startBytes: number;
  /** One of so many bytes of the data file was written by this process: a large store is left as it is for few rows. */
  readonly startShare: number;
  /** A data file from this size on, of which such a share was written, is written again in key order in the end: its pages are half empty. */
  readonly looseBytes: number;
  /** size at which a top is frozen: the larger, the more a commit writes; the smaller, the more is merged */
  readonly layerBytes: number;
  /** rows that are written into the new data file in the last step, during which commits wait */
  readonly restBytes: number;
  /** Fewer bytes of rows in `quietMs` are what a data file alone takes at its slowest. */
  readonly quietBytes: number;
  readonly quietMs: number;
}

const CATCH_UP_BOUNDS: CatchUpBounds = {
  startBytes: 2 ** 26,
  startShare: 16,
  looseBytes: 2 ** 26,
  layerBytes: 2 ** 25,
  restBytes: 2 ** 25,
  quietBytes: 2 ** 24,
  quietMs: 60_000,
};

export interface CatchUpOptions {
  readonly log?: Pick<Logger, "info" | "warn"> | undefined;
  /** Ends catching up by itself when little is written, as at the tip of a chain; otherwise `finish` does. */
  readonly endsWhenQuiet?: boolean;
  readonly bounds?: Partial<CatchUpBounds>;
  readonly merger?: Merger;
}

interface CatchUpPlace {
  readonly dataDirectory: string;
  /** the store's directory */
  readonly path: string;
  readonly maxBytes: number | undefined;
  readonly isTemporary: boolean;
}

const ROWS_PER_COMMIT = 50_000;

export class CatchUpStore implements Store {
  readonly #place: CatchUpPlace;
  readonly #bounds: CatchUpBounds;
  readonly #log: CatchUpOptions["log"];
  readonly #layers: Layers;
  readonly #merging: Merging;
  readonly #lock = new ReadWriteLock();
  readonly #layered: LayeredReader;
  readonly #removals: KeptRemovals;
  readonly #quiet: NodeJS.Timeout | undefined;
  #replacements = 0;
  /** bytes of rows since the store was opened or has caught up, and until the last look whether it is quiet */
  #written = 0;
  #writtenBefore = 0;
  #finishing: Promise<boolean> | undefined;

  /** @param home the open data file of the store's directory, which this one closes */
  constructor(home: LmdbStore, place: CatchUpPlace, options: CatchUpOptions = {}) {
    this.#place = place;
    this.#bounds = { ...CATCH_UP_BOUNDS, ...options.bounds };
    this.#log = options.log;
    const layers = new Layers(home, place);
    this.#layers = layers;
    this.#merging = new Merging(layers, { path: place.path, merger: options.merger ?? new ThreadMerger(), log: options.log });
    this.#layered = new LayeredReader(() => layers.views, place.path);
    this.#removals = { value: Buffer.from([REMOVED]), mayBeBelow: (key) => layers.mayBeBelow(key) };
    if (layers.isStacked) this.#merging.wake();
    if (options.endsWhenQuiet) this.#quiet = setInterval(() => this.#endIfQuiet(), this.#bounds.quietMs).unref();
  }

  /** How often a new data file took the place of the store's. */
  get replacements(): number {
    return this.#replacements;
  }

  /** Whether the store consists of several files at the moment. */
  get isCatchingUp(): boolean {
    return this.#layers.isStacked;
  }

  get<T extends Table>(table: T, key: TableKey<T>): Promise<TableValue<T> | undefined> {
    return this.#reading(async (newest) => newest.get(table, key));
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]> {
    return this.#reading(async (newest) => newest.getMany(table, keys));
  }

  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Promise<(Uint8Array | undefined)[]> {
    return this.#reading(async (newest) => newest.getParts(table, column, parts));
  }

  scan<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]> {
    return this.#reading(async (newest) => newest.scan(table, range));
  }

  async commit(changes: readonly Change[], encoded: readonly EncodedRows[] = []): Promise<void> {
    // before the commit, so that one that is refused leaves nothing behind
    if (this.#isTopFull) await this.#freeze();
    await this.#lock.shared(async () => {
      const { top, isStacked, bytes } = this.#layers;
      const { maxBytes, path } = this.#place;
      if (maxBytes !== undefined && bytes > maxBytes) throw limitReached(path, maxBytes);
      const parts = [encodeRows(changes), ...encoded];
      await top.store.commitEncoded(parts, isStacked ? this.#removals : undefined);
      for (const part of parts) this.#written += rowBytes(part);
    });
  }

  async snapshot<R>(read: (reader: StoreReader) => Promise<R>): Promise<R> {
    while (this.#layers.opening !== undefined) await this.#layers.opening;
    const { isStacked } = this.#layers;
    const { views, release } = this.#layers.pin();
    try {
      return await read(isStacked ? new LayeredReader(() => views, this.#place.path) : views[0]!.reader);
    } finally {
      await release();
    }
  }

  async clear(table: Table): Promise<void> {
    if (!this.#layers.isStacked) return this.#lock.shared(() => this.#layers.top.store.clear(table));
    let changes: Change[] = [];
    for await (const { key } of scanAll(this, table)) {
      if (changes.push({ table, key, value: undefined }) < ROWS_PER_COMMIT) continue;
      await this.commit(changes);
      changes = [];
    }
    await this.commit(changes);
  }

  async availableBytes(): Promise<bigint> {
    const { bavail, bsize } = await statfs(this.#place.path, { bigint: true });
    const { maxBytes } = this.#place;
    const onDisk = bavail * bsize;
    const toLimit = maxBytes === undefined ? onDisk : BigInt(Math.max(0, maxBytes - this.#layers.bytes));
    return onDisk < toLimit ? onDisk : toLimit;
  }

  /** Copies the newest committed state as one data file. */
  async copyTo(directory: string): Promise<void> {
    await this.finish();
    await this.#layers.base.store.copyTo(directory);
  }

  /**
   * Merges everything into one data file if there are several, and writes a loose one again. When it is stopped, the next start goes on.
   * Commits go on until the last step.
   */
  async finish(signal?: AbortSignal): Promise<void> {
    const stopped = signal && once(signal, "abort");
    while ((this.#layers.isStacked || this.#isLoose) && !signal?.aborted)
      await Promise.race([this.#tryToFinish(), ...(stopped ? [stopped] : [])]);
  }

  async close(): Promise<void> {
    clearInterval(this.#quiet);
    await this.#merging.close();
    await this.#finishing?.catch(() => {});
    await this.#layers.close();
  }

  #reading<R>(read: (newest: StoreReader) => Promise<R>): Promise<R> {
    const { opening, isStacked, base } = this.#layers;
    if (opening !== undefined) return opening.then(() => this.#reading(read));
    return read(isStacked ? this.#layered : base.store.latest);
  }

  get #isTopFull(): boolean {
    const { top, isStacked } = this.#layers;
    const { startBytes, layerBytes } = this.#bounds;
    return isStacked ? top.bytes > layerBytes : this.#hasWrittenMuchOf(startBytes);
  }

  /**
   * Keys that come in any order leave pages half empty. The file stays as it is if the disk has no room for a second one, or others read it:
   * they would have to open the new one.
   */
  get #isLoose(): boolean {
    const { isStacked, bytes, top } = this.#layers;
    if (isStacked || !this.#hasWrittenMuchOf(this.#bounds.looseBytes)) return false;
    return freeBytes(this.#place.path) > 2 * bytes && !top.store.hasOtherReaders;
  }

  /** Whether the data file is at least so large, and this process wrote a share of it that counts. */
  #hasWrittenMuchOf(leastBytes: number): boolean {
    const { bytes } = this.#layers;
    return bytes > leastBytes && this.#written * this.#bounds.startShare > bytes;
  }

  async #freeze(): Promise<void> {
    await this.#merging.room();
    await this.#lock.alone(async () => {
      // another commit may have done it
      if (!this.#isTopFull) return;
      if (!this.#layers.isStacked)
        this.#log?.info({ bytes: this.#layers.bytes }, "Catching up beside the store's file, which stays as it is until then");
      await this.#layers.freeze();
    });
    this.#merging.wake();
  }

  /** Returns whether there is one file now: what was committed meanwhile may be too much for the last step. */
  #tryToFinish(): Promise<boolean> {
    this.#finishing ??= this.#mergeAll().finally(() => {
      this.#finishing = undefined;
    });
    return this.#finishing;
  }

  async #mergeAll(): Promise<boolean> {
    this.#log?.info({ bytes: this.#layers.bytes }, "Merging the store's files into one");
    await this.#lock.alone(async () => {
      if (!this.#layers.isTopEmpty) await this.#layers.freeze();
    });
    await this.#merging.all();
    const isDone = await this.#lock.alone(() => {
      const { runs, top } = this.#layers;
      if (runs.length > 0 || top.bytes > this.#bounds.restBytes) return false;
      this.#layers.settle(this.#place.dataDirectory);
      this.#replacements++;
      return true;
    });
    if (isDone) this.#written = 0;
    this.#writtenBefore = this.#written;
    if (isDone) this.#log?.info({ bytes: this.#layers.bytes }, "The store is one file again");
    else this.#merging.wake();
    return isDone;
  }

  #endIfQuiet(): void {
    const written = this.#written - this.#writtenBefore;
    this.#writtenBefore = this.#written;
    if (!this.#layers.isStacked || written > this.#bounds.quietBytes) return;
    this.#tryToFinish().catch((error) => this.#log?.warn({ reason: (error as Error).message }, "Merging the store's files failed"));
  }
}
