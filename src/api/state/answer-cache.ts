/** Caches values computed from one committed state, until a height changes: `RpcContext.cached`. Bounded by bytes. */

import { BoundedCache, type CacheSpace, memorySize } from "../../base/collections/bounded-cache.ts";
import { RawJson } from "../../base/json/go-encode.ts";
import { type RequestWork, SharedMaking } from "../../base/work/work.ts";

export class AnswerCache {
  readonly #made: BoundedCache<{ value: unknown; bytes: number }>;
  readonly #making = new SharedMaking();

  constructor(space: CacheSpace) {
    this.#made = new BoundedCache(space, ({ bytes }) => bytes);
  }

  /** Called when another state is the newest one; requests that still run on this one may continue to use it. */
  clear(): void {
    this.#made.clear();
  }

  find<T>(name: string): T | undefined {
    return this.#made.get(name)?.value as T | undefined;
  }

  keep(name: string, value: unknown): void {
    this.#made.set(name, { value, bytes: value instanceof RawJson ? memorySize(value.json) : memorySize(value) });
  }

  /** Callers that ask while a value is being made share it; it is made by the `work` of the first. A failure is not cached. */
  get<T>(name: string, work: RequestWork, make: () => Promise<T>): Promise<T> {
    const made = this.find<T>(name);
    if (made !== undefined) return Promise.resolve(made);
    return this.#making.get(name, work, async () => {
      const value = await make();
      this.keep(name, value);
      return value;
    });
  }
}
