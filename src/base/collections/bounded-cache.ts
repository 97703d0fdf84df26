/**
 * Caches whose entries depend on clients. Caches with a common space share its bytes: the least recently used entry of all of them is
 * dropped first.
 */

/**
 * A bounded memo: holds at least the `capacity` most recently written entries, and at most twice as many. It uses two generations instead
 * of an ordered list, so a hit needs no bookkeeping.
 */
export class Recent<K, V> {
  readonly #capacity: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}

/**
 * Estimates how many bytes of memory a value takes. Only some elements of a long list are examined, which keeps this cheap. An instance of
 * a class counts as a small object, whatever it contains.
 */
export function memorySize(value: unknown, depth = DEPTH): number {
  if (typeof value === "string") return TEXT + value.length;
  if (typeof value !== "object" || value === null) return SLOT;
  if (ArrayBuffer.isView(value)) return OBJECT + value.byteLength;
  if (depth === 0) return OBJECT;
  if (Array.isArray(value)) return OBJECT + listSize(spread(value), value.length, depth - 1);
  if (value instanceof Map || value instanceof Set) return OBJECT + listSize(first(value), value.size, depth - 1);
  if (Object.getPrototypeOf(value) !== Object.prototype) return OBJECT;
  let size = OBJECT;
  for (const name in value) size += SLOT + memorySize((value as Record<string, unknown>)[name], depth - 1);
  return size;
}

/** @param looked the examined elements */
function listSize(looked: readonly unknown[], length: number, depth: number): number {
  if (looked.length === 0) return 0;
  const size = looked.reduce<number>((sum, element) => sum + SLOT + memorySize(element, depth), 0);
  return Math.round((size * length) / looked.length);
}

function spread(list: readonly unknown[]): readonly unknown[] {
  if (list.length <= SAMPLE) return list;
  return Array.from({ length: SAMPLE }, (_, i) => list[Math.floor((i * list.length) / SAMPLE)]);
}

function first(elements: Iterable<unknown>): readonly unknown[] {
  const looked: unknown[] = [];
  for (const element of elements) if (looked.push(element) === SAMPLE) break;
  return looked;
}

/** levels of nesting that are examined */
const DEPTH = 5;
/** elements of a list that are examined */
const SAMPLE = 16;
const SLOT = 8;
const OBJECT = 48;
const TEXT = 24;

interface Entry {
  readonly key: string;
  readonly bytes: number;
  readonly entries: Map<string, Entry>;
  /** its neighbours in order of use */
  older: Entry;
  newer: Entry;
}

export class CacheSpace {
  #maxBytes: number;
  #bytes = 0;
  /** the end of a ring of all entries in order of use. In a large Set, which keeps an order too, each use costs as much as a request. */
  readonly #end: Entry;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    const end = { key: "", bytes: 0, entries: new Map() } as unknown as Entry;
    end.older = end.newer = end;
    this.#end = end;
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
    if (entry.newer === this.#end) return;
    unlink(entry);
    this.#link(entry);
  }

  /** @internal of BoundedCache */
  add(entry: Entry): void {
    if (entry.bytes > this.#maxBytes) return;
    entry.entries.set(entry.key, entry);
    this.#link(entry);
    this.#bytes += entry.bytes;
    this.#makeRoom();
  }

  /** @internal of BoundedCache */
  remove(entry: Entry): void {
    entry.entries.delete(entry.key);
    unlink(entry);
    this.#bytes -= entry.bytes;
  }

  #link(entry: Entry): void {
    const end = this.#end;
    entry.newer = end;
    entry.older = end.older;
    end.older.newer = entry;
    end.older = entry;
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes && this.#end.newer !== this.#end) this.remove(this.#end.newer);
  }
}

function unlink({ older, newer }: Entry): void {
  older.newer = newer;
  newer.older = older;
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
    const bytes = this.#sizeOf(value) + 2 * key.length + ENTRY;
    this.#space.add({ key, value, entries: this.#entries, bytes, older: undefined, newer: undefined } as unknown as Entry);
  }

  /** Returns its share of the space. Call this when nobody uses the cache any more. */
  clear(): void {
    for (const entry of this.#entries.values()) this.#space.remove(entry);
  }
}

/** bytes that the collections use per entry */
const ENTRY = 200;
