/** A scheduler for one request that ends its turn on every call, so that what the request does between calls is one piece of work. */
import type { Work } from "../../../src/base/work/work.ts";

export class CountedWork implements Work {
  turns = 0;
  /** bytes of rows */
  held = 0;
  /** the request ends with it from now on */
  problem: Error | undefined;
  readonly #onTurn: () => void;
  #hasTurn = true;

  /** @param onTurn told of each turn that ends */
  constructor(onTurn: () => void = () => {}) {
    this.#onTurn = onTurn;
  }

  turn(): Promise<void> | undefined {
    if (this.#hasTurn) {
      this.#hasTurn = false;
      return undefined;
    }
    return this.#next();
  }

  hold(bytes: number): void {
    this.held += bytes;
  }

  async #next(): Promise<void> {
    this.turns++;
    this.#onTurn();
    await new Promise(setImmediate);
    if (this.problem !== undefined) throw this.problem;
    this.#hasTurn = true;
  }
}
