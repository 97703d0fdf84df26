/**
 * Everything that one server keeps of its answers, within one limit (`keptBytes`, in bytes): whole answers and values of the newest state
 * (AnswerCache), what was derived from the last states of the P-chain, and what never changes, such as rendered blocks. Each server has its
 * own, so two devnets in one process do not evict each other's answers.
 */
import { CacheSpace } from "../../base/collections/bounded-cache.ts";
import { AnswerCache } from "./answer-cache.ts";

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
