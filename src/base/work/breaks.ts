import { setImmediate as nextTurn } from "node:timers/promises";

const MOST_MS = 4;

/** Lets long work give the event loop a turn now and then, in which the rows of a commit are sent and answers are read. */
export class Breaks {
  #since = performance.now();

  /** undefined: none is due, so that nobody waits */
  take(): Promise<void> | undefined {
    return performance.now() - this.#since < MOST_MS ? undefined : this.#rest();
  }

  async #rest(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
