/** Least recently used entries up to a number of bytes: for rendered answers whose number the clients choose. */
export class BoundedCache<V> {
  readonly #maxBytes: number;
  readonly #sizeOf: (value: V) => number;
  readonly #entries = new Map<string, V>();
  #bytes = 0;

  constructor(maxBytes: number, sizeOf: (value: V) => number) {
    this.#maxBytes = maxBytes;
    this.#sizeOf = sizeOf;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    // a Map keeps the order of insertion: the entry becomes the youngest
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#delete(key);
    const bytes = this.#costOf(key, value);
    if (bytes > this.#maxBytes) return;
    this.#entries.set(key, value);
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= this.#costOf(key, value);
  }

  /** With what the Map itself takes per entry, about. */
  #costOf(key: string, value: V): number {
    return this.#sizeOf(value) + 2 * key.length + 100;
  }
}
