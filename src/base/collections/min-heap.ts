/**
 * A binary heap: the item with the smallest key comes first; the order of equal keys is undefined. An item's key must not change while it
 * is in the heap.
 */
export class MinHeap<T> {
  readonly #key: (item: T) => number;
  readonly #items: T[] = [];

  constructor(key: (item: T) => number) {
    this.#key = key;
  }

  get size(): number {
    return this.#items.length;
  }

  push(item: T): void {
    const items = this.#items;
    const key = this.#key(item);
    let at = items.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#key(items[parent]!) <= key) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  /** Removes and returns the item with the smallest key. */
  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length > 0) this.#sink(last!);
    return first;
  }

  /** Puts the item in the place of the first one. */
  #sink(item: T): void {
    const items = this.#items;
    const key = this.#key(item);
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#key(items[child + 1]!) < this.#key(items[child]!)) child++;
      if (this.#key(items[child]!) >= key) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = item;
  }
}
