/**
 * The files of a store that catches up: the top, which commits write into; frozen runs below it, the newest first; and the base, the oldest.
 * Each change of what belongs to them is one replacement of the manifest. Without a stack there is the base alone.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { checkPages } from "../lmdb/file-check.ts";
import { LmdbStore } from "../lmdb/lmdb-store.ts";
import { PAGE_BYTES } from "../lmdb/page-file.ts";
import { giveBackLease, takeLease } from "../writer-lease.ts";
import { KeyFilter } from "./key-filter.ts";
import { Layer } from "./layer.ts";
import type { LayerView } from "./layered-reader.ts";
import { filterPath, layerPath, readManifest, removeOrphans, syncDirectory, writeManifest } from "./manifest.ts";
import { REMOVED } from "./marks.ts";

interface LayersOptions {
  /** the store's directory */
  readonly path: string;
  /** commits are not flushed to disk */
  readonly isTemporary: boolean;
}

/** of the meta pages */
const EMPTY_FILE_BYTES = 2 * PAGE_BYTES;

export class Layers {
  readonly #options: LayersOptions;
  /** The store's data file, which other processes read and which holds the lease of this process; the base at first. */
  #home: Layer;
  #base: Layer;
  #top: Layer | undefined;
  #runs: readonly Layer[] = [];
  #views: readonly LayerView[] = [];
  #opening: Promise<void> | undefined;

  /** @param home the open data file; goes on with the layers that an earlier process left above it */
  constructor(home: LmdbStore, options: LayersOptions) {
    this.#options = options;
    const { path } = options;
    const manifest = readManifest(path);
    removeOrphans(path, manifest);
    const filter = manifest === undefined ? undefined : KeyFilter.read(filterPath(path, undefined));
    this.#home = new Layer({ store: home, name: undefined, path, level: 0, isMarked: false, filter });
    this.#base = manifest?.base === undefined ? this.#home : this.#open(manifest.base, { level: 0, isMarked: false });
    if (manifest !== undefined) {
      this.#runs = manifest.runs.map(({ name, level }) => this.#open(name, { level, isMarked: true }));
      this.#top = this.#open(manifest.top, { level: 0, isMarked: true });
    }
    this.#changed();
  }

  get base(): Layer {
    return this.#base;
  }

  /** The layer that commits write into. */
  get top(): Layer {
    return this.#top ?? this.#base;
  }

  get runs(): readonly Layer[] {
    return this.#runs;
  }

  get isStacked(): boolean {
    return this.#top !== undefined;
  }

  /** While a file is opened again, nothing can be read. */
  get opening(): Promise<void> | undefined {
    return this.#opening;
  }

  get isTopEmpty(): boolean {
    return this.top.bytes <= EMPTY_FILE_BYTES;
  }

  /** The newest first; each reads its newest state. */
  get views(): readonly LayerView[] {
    return this.#views;
  }

  /** of all files */
  get bytes(): number {
    const layers = this.#views.map(({ layer }) => layer);
    return (this.#base === this.#home ? layers : [...layers, this.#home]).reduce((sum, layer) => sum + layer.bytes, 0);
  }

  /** Whether a row with this key may be below the top. */
  mayBeBelow(key: Uint8Array): boolean {
    return this.#runs.some((run) => run.mayHave(key)) || this.#base.mayHave(key);
  }

  /** One state of all layers, which stay open until it is let go. */
  pin(): { readonly views: readonly LayerView[]; release(): Promise<void> } {
    const held = this.#views.map(({ layer }) => layer);
    for (const layer of held) layer.hold();
    const { reader, release } = this.top.store.pin();
    return {
      views: this.#views.map((view, index) => (index === 0 ? { layer: view.layer, reader } : view)),
      async release() {
        release();
        for (const layer of held) await layer.release();
      },
    };
  }

  /** Begins a new top; the old one becomes the newest run, or stays the base if it was alone. */
  async freeze(): Promise<void> {
    const frozen = this.top;
    const top = this.#create();
    const runs = this.#top === undefined ? this.#runs : [this.#top, ...this.#runs];
    this.#write({ top, runs, base: this.#base });
    this.#top = top;
    this.#runs = runs;
    this.#changed();
    this.#opening = frozen.freeze().finally(() => {
      this.#opening = undefined;
      this.#changed();
    });
    await this.#opening;
  }

  /** A place for a new layer, which is not part of the store yet. */
  newName(): string {
    const name = randomUUID();
    mkdirSync(layerPath(this.#options.path, name), { recursive: true });
    return name;
  }

  /** Puts a merged layer, which is complete and on the disk, in the place of neighbours; the base if that was among them. */
  replace(merged: readonly Layer[], name: string): void {
    syncDirectory(layerPath(this.#options.path, name));
    const hasBase = merged.includes(this.#base);
    const layer = this.#open(name, { level: 1 + Math.max(...merged.map(({ level }) => level)), isMarked: !hasBase });
    const at = this.#runs.indexOf(merged[0]!);
    const after = at + merged.length;
    const runs = hasBase
      ? this.#runs.filter((run) => !merged.includes(run))
      : [...this.#runs.slice(0, at), layer, ...this.#runs.slice(after)];
    const base = hasBase ? layer : this.#base;
    this.#write({ top: this.#top!, runs, base });
    this.#runs = runs;
    this.#base = base;
    this.#changed();
    for (const old of merged) if (old !== this.#home) void old.retire();
  }

  /** Writes the rows of the top into the base, which then replaces the store's directory. There are no runs, and nothing is committed. */
  settle(dataDirectory: string): void {
    const { path } = this.#options;
    const [base, top, home] = [this.#base, this.#top!, this.#home];
    const entries = top.store.latest.entriesIn();
    base.store.putEntries(unmarked(entries), takeLease(undefined, dataDirectory));
    writeManifest(path, { version: 1, top: top.name!, runs: [], base: base.name, isComplete: true });
    finishSettling(path);
    base.store.movedTo(path);
    base.store.lease(() => [], giveBackLease);
    this.#home = new Layer({ store: base.store, name: undefined, path, level: 0, isMarked: false, filter: undefined });
    this.#base = this.#home;
    this.#top = undefined;
    this.#changed();
    // their files went with the old directory
    void home.release();
    void top.release();
  }

  async close(): Promise<void> {
    for (const layer of new Set([...this.#views.map(({ layer }) => layer), this.#home])) await layer.release();
  }

  #changed(): void {
    const layers = this.#top === undefined ? [this.#base] : [this.#top, ...this.#runs, this.#base];
    this.#views = layers.map((layer) => ({ layer, reader: layer.store.latest }));
  }

  #create(): Layer {
    const name = this.newName();
    return this.#open(name, { level: 0, isMarked: true });
  }

  #open(name: string, { level, isMarked }: Pick<Layer, "level" | "isMarked">): Layer {
    const path = layerPath(this.#options.path, name);
    const store = new LmdbStore({ directory: path, isReadOnly: false, isTemporary: this.#options.isTemporary, isScattered: true });
    // nobody writes it at the moment
    checkPages(path);
    return new Layer({ store, name, path, level, isMarked, filter: KeyFilter.read(filterPath(this.#options.path, name)) });
  }

  #write({ top, runs, base }: { readonly top: Layer; readonly runs: readonly Layer[]; readonly base: Layer }): void {
    const named = runs.map(({ name, level }) => ({ name: name!, level }));
    writeManifest(this.#options.path, { version: 1, top: top.name!, runs: named, ...(base.name !== undefined && { base: base.name }) });
  }
}

function* unmarked(entries: Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>) {
  for (const { key, value } of entries) yield { key, value: value[0] === REMOVED ? undefined : value.subarray(1) };
}

/**
 * Puts a base that has all rows in the place of the store's directory, which has the layers, too. A kill leaves work for the next process
 * that opens the store: it comes here as long as the manifest says so, or the store's directory is missing.
 */
export function finishSettling(path: string): void {
  const next = `${path}.next`;
  const manifest = readManifest(path);
  if (manifest?.isComplete) {
    const complete = layerPath(path, manifest.base!);
    rmSync(`${path}.old`, { recursive: true, force: true });
    rmSync(filterPath(path, manifest.base), { force: true });
    renameIfThere(complete, next);
    renameIfThere(path, `${path}.old`);
  }
  if (!existsSync(next)) return;
  renameIfThere(next, path);
  syncDirectory(dirname(path));
  rmSync(`${path}.old`, { recursive: true, force: true });
}

/** Another process may have done it already. */
function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
