/**
 * Background work that no request waits for, in slices of a few milliseconds. Between slices the event loop reads from clients and requests
 * get their turns. Users of one instance take slices one after the other.
 */
const SLICE_MS = 4;

export class Slices {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  #startedAt = 0;
  /** whether a slice has begun in this iteration of the event loop */
  #isTaken = false;

  /** @param now returns milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Call this right before a piece of work. Returns a promise if it must wait for the next slice. */
  turn(): Promise<void> | undefined {
    if (!this.#isTaken) {
      this.#begin();
      return undefined;
    }
    if (this.#waiting.length === 0 && this.#now() - this.#startedAt < SLICE_MS) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(): void {
    this.#isTaken = true;
    this.#startedAt = this.#now();
    setImmediate(this.#goOn);
  }

  readonly #goOn = () => {
    const next = this.#waiting.shift();
    this.#isTaken = false;
    if (next === undefined) return;
    this.#begin();
    next();
  };
}
