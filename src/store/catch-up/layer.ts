/** One file of a store that catches up, and when it is closed: nobody reads it any more. */
import { rmSync } from "node:fs";
import type { LmdbStore } from "../lmdb/lmdb-store.ts";
import type { KeyFilter } from "./key-filter.ts";

interface LayerOptions {
  readonly store: LmdbStore;
  /** undefined: the store's data file */
  readonly name: string | undefined;
  readonly path: string;
  /** how often its rows were merged */
  readonly level: number;
  /** whether its values begin with a mark (`marks.ts`) */
  readonly isMarked: boolean;
  readonly filter: KeyFilter | undefined;
}

export class Layer {
  readonly store: LmdbStore;
  readonly name: string | undefined;
  readonly path: string;
  readonly level: number;
  readonly isMarked: boolean;
  /** undefined: any key may be in the file */
  filter: KeyFilter | undefined;
  #holders = 1;
  #isObsolete = false;
  #frozenBytes: number | undefined;

  constructor({ store, name, path, level, isMarked, filter }: LayerOptions) {
    this.store = store;
    this.name = name;
    this.path = path;
    this.level = level;
    this.isMarked = isMarked;
    this.filter = filter;
  }

  /** of the file */
  get bytes(): number {
    return this.#frozenBytes ?? this.store.usedBytes;
  }

  /** Gives back the memory of what was written, unless somebody reads an older state: nothing will be written into the file any more. */
  async freeze(): Promise<void> {
    this.#frozenBytes = this.store.usedBytes;
    if (this.#holders === 1) await this.store.reopen();
  }

  mayHave(key: Uint8Array): boolean {
    return this.filter?.mayHave(key, 0, key.length) ?? true;
  }

  hold(): void {
    this.#holders++;
  }

  /** Closes the file when its last holder lets it go. */
  async release(): Promise<void> {
    if (--this.#holders > 0) return;
    await this.store.close();
    if (this.#isObsolete) rmSync(this.path, { recursive: true, force: true });
  }

  /** Its rows are in another layer: the file is removed when nobody reads it any more. */
  async retire(): Promise<void> {
    this.#isObsolete = true;
    await this.release();
  }
}
