/**
 * Everything that one server keeps of its answers, within one limit (`keptBytes`, in bytes): whole answers and values of the newest state
 * (AnswerCache), what was derived from the last states of the P-chain, and what never changes, such as rendered blocks. Each server has its
 * own, so two devnets in one process do not evict each other's answers.
 */
import { BoundedCache, CacheSpace, memorySize } from "../../base/collections/bounded-cache.ts";
import { RawJson } from "../../base/json/go-encode.ts";
import { type Awaitable, andThen } from "../../base/work/awaitable.ts";
import { type RequestWork, SharedMaking } from "../../base/work/work.ts";

export class KeptAnswers {
  readonly #space: CacheSpace;
  readonly #caches = new Map<new (space: CacheSpace) => object, object>();

  /** @param maxBytes memory of all entries; 0: nothing is kept */
  constructor(maxBytes: number) {
    this.#space = new CacheSpace(maxBytes);
  }

  /** This server's cache of that class, which is defined where its values are made. Its entries count in the common limit. */
  of<T extends object>(cache: new (space: CacheSpace) => T): T {
    const known = this.#caches.get(cache) as T | undefined;
    if (known !== undefined) return known;
    const made = new cache(this.#space);
    this.#caches.set(cache, made);
    return made;
  }

  /** A cache for one more state. */
  ofState(): AnswerCache {
    return new AnswerCache(this.#space);
  }
}

// Caches values computed from one committed state, until a height changes: `RpcContext.cached`. Bounded by bytes.

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
  get<T>(name: string, work: RequestWork, make: () => Awaitable<T>): Awaitable<T> {
    const made = this.find<T>(name);
    if (made !== undefined) return made;
    return this.#making.get(name, work, () =>
      andThen(make(), (value) => {
        this.keep(name, value);
        return value;
      }),
    );
  }
}
