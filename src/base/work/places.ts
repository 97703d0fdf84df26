/** A few places for work that is dear to someone else; who comes when too many wait is turned away. */
import { LimitError } from "./work.ts";

export class Places {
  readonly #all: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(all: number, mostWaiting: number) {
    this.#all = all;
    this.#mostWaiting = mostWaiting;
  }

  /** Runs the work when there is a place, in the order of the callers. Throws a LimitError with the sentence if too many wait. */
  async pass<T>(sentence: string, work: () => Promise<T>): Promise<T> {
    if (this.#taken === this.#all) {
      if (this.#waiting.length === this.#mostWaiting) throw new LimitError("places", sentence);
      // whoever leaves hands the place over
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#taken++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken--;
      else next();
    }
  }
}
