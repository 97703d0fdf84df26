/**
 * Loads pages of files that are larger than the memory together before they are read, on several threads. A read that finds its page
 * missing would stop the process until the disk has it.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Layers } from "./layers.ts";

/** for one thread at a time: a lookup takes it a few microseconds if the page is there, a tenth of a millisecond if not */
const KEYS_PER_TASK = 128;
/** Waiting for threads takes as long as a few missing pages. */
const FEWEST_KEYS = 4;

export class Prefetch {
  readonly #layers: Layers;
  readonly #memoryBytes: number;
  #starts: Uint8Array[] = [];
  #loading: Promise<void> | undefined;

  constructor(layers: Layers, memoryBytes: number) {
    this.#layers = layers;
    this.#memoryBytes = memoryBytes;
  }

  /** About half of the memory holds pages of files. */
  get isNeeded(): boolean {
    return this.#layers.isStacked && this.#layers.bytes > this.#memoryBytes / 2;
  }

  /** The pages of rows with these keys. */
  async rows(keys: readonly Uint8Array[]): Promise<void> {
    if (keys.length < FEWEST_KEYS) return;
    await this.#load((mayHave) => keys.filter(mayHave));
  }

  /** The pages where scans begin in each file, together with those that others ask for in this turn. */
  async starts(keys: readonly Uint8Array[]): Promise<void> {
    this.#starts.push(...keys);
    this.#loading ??= nextTurn().then(() => {
      const starts = this.#starts;
      this.#starts = [];
      this.#loading = undefined;
      return starts.length < FEWEST_KEYS ? undefined : this.#load(() => starts);
    });
    await this.#loading;
  }

  async #load(keysOf: (mayHave: (key: Uint8Array) => boolean) => readonly Uint8Array[]): Promise<void> {
    while (this.#layers.opening !== undefined) await this.#layers.opening;
    const tasks: Promise<void>[] = [];
    // what was written last is in memory
    for (const { layer } of this.#layers.views.slice(1)) {
      const keys = keysOf((key) => layer.mayHave(key));
      for (let at = 0; at < keys.length; at += KEYS_PER_TASK) tasks.push(layer.store.loadPages(keys.slice(at, at + KEYS_PER_TASK)));
    }
    await Promise.all(tasks);
  }
}
