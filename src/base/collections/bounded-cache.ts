/**
 * Caches whose entries depend on clients. Caches with a common space share its bytes: the least recently used entry of all of them is
 * dropped first.
 */

interface Entry {
  readonly key: string;
  readonly bytes: number;
  readonly entries: Map<string, Entry>;
}

export class CacheSpace {
  #maxBytes: number;
  #bytes = 0;
  /** in order of use; a Set keeps insertion order */
  readonly #byUse = new Set<Entry>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of all entries, including what the collections use per entry. */
  get bytes(): number {
    return this.#bytes;
  }

  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#makeRoom();
  }

  /** @internal of BoundedCache */
  use(entry: Entry): void {
    this.#byUse.delete(entry);
    this.#byUse.add(entry);
  }

  /** @internal of BoundedCache */
  add(entry: Entry): void {
    if (entry.bytes > this.#maxBytes) return;
    entry.entries.set(entry.key, entry);
    this.#byUse.add(entry);
    this.#bytes += entry.bytes;
    this.#makeRoom();
  }

  /** @internal of BoundedCache */
  remove(entry: Entry): void {
    entry.entries.delete(entry.key);
    this.#byUse.delete(entry);
    this.#bytes -= entry.bytes;
  }

  #makeRoom(): void {
    for (const oldest of this.#byUse) {
      if (this.#bytes <= this.#maxBytes) return;
      this.remove(oldest);
    }
  }
}

export class BoundedCache<V> {
  readonly #space: CacheSpace;
  readonly #sizeOf: (value: V) => number;
  readonly #entries = new Map<string, Entry & { readonly value: V }>();

  /** @param sizeOf returns bytes */
  constructor(space: CacheSpace, sizeOf: (value: V) => number) {
    this.#space = space;
    this.#sizeOf = sizeOf;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#space.use(entry);
    return entry?.value;
  }

  set(key: string, value: V): void {
    const known = this.#entries.get(key);
    if (known !== undefined) this.#space.remove(known);
    this.#space.add({ key, value, entries: this.#entries, bytes: this.#sizeOf(value) + 2 * key.length + ENTRY } as Entry);
  }

  /** Returns its share of the space. Call this when nobody uses the cache any more. */
  clear(): void {
    for (const entry of this.#entries.values()) this.#space.remove(entry);
  }
}

/** bytes that the collections use per entry */
const ENTRY = 200;
