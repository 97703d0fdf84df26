/**
 * A sorted list without duplicates, with binary search. An insertion or removal moves the rest of the list, which is cheap up to 10⁵
 * elements.
 */
export class SortedList<T> {
  readonly #items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get items(): readonly T[] {
    return this.#items;
  }

  get length(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.splice(this.#position(item), 0, item);
  }

  /** Removes the element that compares equal to `item`. */
  remove(item: T): void {
    const position = this.#position(item);
    const found = this.#items[position];
    if (found === undefined || this.#compare(found, item) !== 0) throw new RangeError("the element to remove is not in the list");
    this.#items.splice(position, 1);
  }

  /** Fills an empty list. */
  fill(items: Iterable<T>): void {
    for (const item of items) this.#items.push(item);
    this.#items.sort(this.#compare);
  }

  #position(item: T): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#items[middle]!, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
