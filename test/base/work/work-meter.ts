/**
 * Counts what a request does between its turns, without a clock: elements that loops and built-in functions pass over, and rows. Indexed
 * loops are not seen.
 */
import { CountedWork } from "./counted-work.ts";

type Step = (this: unknown, ...args: unknown[]) => unknown;

const iterators = [[][Symbol.iterator](), new Set().values(), new Map().entries()].map((iterator) => Object.getPrototypeOf(iterator));
/** Methods that pass over the whole list at once; those that only copy it take no time worth counting. */
const LIST_METHODS = ["every", "filter", "find", "flatMap", "forEach", "join", "map", "reduce", "some", "sort"];

export class WorkMeter {
  readonly work = new CountedWork(() => this.#end());
  /** the most that was done in one piece, and all of it */
  most = 0;
  total = 0;
  #units = 0;

  count(units: number): void {
    this.#units += units;
  }

  /** Does not count what a fake does in place of a real part. */
  uncounted<T>(run: () => T): T {
    const before = this.#units;
    const result = run();
    this.#units = before;
    return result;
  }

  /** Runs what takes its turns from `work`. */
  async measure<T>(run: () => Promise<T>): Promise<T> {
    const restore: (() => void)[] = [];
    const replace = (owner: Record<string, Step>, name: string, unitsOf: (self: unknown) => number) => {
      const original = owner[name]!;
      const meter = this;
      owner[name] = function counted(...args) {
        meter.count(unitsOf(this));
        return original.apply(this, args);
      };
      restore.push(() => {
        owner[name] = original;
      });
    };
    for (const iterator of iterators) replace(iterator, "next", () => 1);
    for (const name of LIST_METHODS)
      replace(Array.prototype as unknown as Record<string, Step>, name, (list) => (list as unknown[]).length);
    try {
      return await run();
    } finally {
      for (const each of restore) each();
      this.#end();
    }
  }

  #end(): void {
    this.most = Math.max(this.most, this.#units);
    this.total += this.#units;
    this.#units = 0;
  }
}
