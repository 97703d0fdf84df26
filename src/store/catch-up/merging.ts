/** Merges the layers of a store on another thread: beside commits, so that they stay few; and all of them at the end. */
import type { Logger } from "pino";
import { freeBytes, noRoomToMerge } from "../lmdb/errors.ts";
import { dataFile } from "../lmdb/file-check.ts";
import { KeyFilter } from "./key-filter.ts";
import type { Layer } from "./layer.ts";
import type { Layers } from "./layers.ts";
import { filterPath, layerPath } from "./manifest.ts";
import type { MergeInput } from "./merge-layers.ts";
import type { Merger } from "./merger.ts";

/** Runs that have been merged as often are merged when there are so many of them: each row is written about once for each power of this. */
const RUNS_PER_MERGE = 6;
/** Commits wait while there are more. Runs that were merged four times have 6⁴ × 32 MiB each, 41 GiB. */
export const MOST_RUNS = 5 * RUNS_PER_MERGE;
/** Larger ones are read for their filter when there is nothing else to do. */
const SMALL_BASE_BYTES = 8 * 2 ** 30;
const TELL_EVERY_MS = 10_000;
const SPARE_BYTES = 64 * 2 ** 20;

interface MergingOptions {
  readonly path: string;
  readonly merger: Merger;
  readonly log: Pick<Logger, "info" | "warn"> | undefined;
}

export class Merging {
  readonly #layers: Layers;
  readonly #options: MergingOptions;
  #running: Promise<void> | undefined;
  /** of the last task */
  #problem: unknown;
  #isHeld = false;
  #isClosed = false;

  constructor(layers: Layers, options: MergingOptions) {
    this.#layers = layers;
    this.#options = options;
  }

  /** Does what there is to do, one task after the other. A failure is told when commits have to wait for it. */
  wake(): void {
    if (this.#running !== undefined || this.#isHeld || this.#isClosed) return;
    this.#problem = undefined;
    this.#running = this.#work()
      .catch((error) => {
        this.#problem = error;
        if (!this.#isClosed) this.#options.log?.warn({ reason: (error as Error).message }, "Merging the store's files failed");
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when another run may be added. */
  async room(): Promise<void> {
    while (this.#layers.runs.length >= MOST_RUNS) {
      this.wake();
      await this.#running;
      if (this.#problem !== undefined) throw this.#problem;
    }
  }

  /** Merges all runs and the base into a new base. Runs that are added meanwhile stay. */
  async all(): Promise<void> {
    this.#isHeld = true;
    await this.#running;
    const merging = this.#merge([...this.#layers.runs, this.#layers.base]);
    // commits that find too many runs wait for this, too
    this.#running = merging
      .catch(() => {})
      .finally(() => {
        this.#isHeld = false;
        this.#running = undefined;
      });
    await merging;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#options.merger.close();
    await this.#running;
  }

  async #work(): Promise<void> {
    while (!this.#isHeld && !this.#isClosed) {
      const { runs, base } = this.#layers;
      const isSmall = base.bytes < SMALL_BASE_BYTES;
      const unfiltered = [...runs, ...(isSmall ? [base] : [])].find(({ filter }) => filter === undefined);
      const neighbours = this.#neighbours();
      if (unfiltered !== undefined) await this.#addFilter(unfiltered);
      else if (neighbours !== undefined) await this.#merge(neighbours);
      else if (base.filter === undefined) await this.#addFilter(base);
      else return;
    }
  }

  /** The oldest runs that were merged as often, if there are enough of them. */
  #neighbours(): readonly Layer[] | undefined {
    for (const level of new Set(this.#layers.runs.map((run) => run.level))) {
      const same = this.#layers.runs.filter((run) => run.level === level);
      if (same.length >= RUNS_PER_MERGE) return same.slice(-RUNS_PER_MERGE);
    }
    return undefined;
  }

  async #addFilter(layer: Layer): Promise<void> {
    const filter = filterPath(this.#options.path, layer.name);
    await this.#run([layer], undefined, filter);
    layer.filter = KeyFilter.read(filter);
  }

  async #merge(layers: readonly Layer[]): Promise<void> {
    const needed = layers.reduce((sum, { bytes }) => sum + bytes, SPARE_BYTES);
    const free = freeBytes(this.#options.path);
    if (free < needed) throw noRoomToMerge(this.#options.path, free, needed);
    const name = this.#layers.newName();
    await this.#run(layers, dataFile(layerPath(this.#options.path, name)), filterPath(this.#options.path, name));
    this.#layers.replace(layers, name);
  }

  async #run(layers: readonly Layer[], output: string | undefined, filter: string): Promise<void> {
    const { merger, log } = this.#options;
    const inputs = layers.map(({ path, isMarked }): MergeInput => ({ path: dataFile(path), isMarked }));
    let toldAt = performance.now();
    await merger.run({ inputs, output, filter }, (entries, of) => {
      const now = performance.now();
      if (output === undefined || now - toldAt < TELL_EVERY_MS) return;
      toldAt = now;
      log?.info({ files: inputs.length, rows: of, percent: Math.floor((entries * 100) / Math.max(1, of)) }, "Merging the store's files");
    });
  }
}
