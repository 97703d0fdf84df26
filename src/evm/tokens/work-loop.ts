/** Does pieces of several kinds of work in turn. It sleeps when nothing is due, and waits longer after each failure of the upstream. */
import type { Logger } from "pino";
import type { TokenWork } from "./token-work.ts";

/** most milliseconds until work that becomes due by the clock is noticed */
const IDLE_MS = 15_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

export class WorkLoop {
  readonly #works: readonly TokenWork[];
  readonly #log: Logger;
  readonly #idleMs: number;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #isWoken = false;
  #wake: () => void = () => {};

  constructor(works: readonly TokenWork[], log: Logger, idleMs = IDLE_MS) {
    this.#works = works;
    this.#log = log;
    this.#idleMs = idleMs;
    this.#done = this.#run();
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  /** Resolves when the current piece is done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#done;
  }

  async #run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isWoken = false;
      try {
        const hasMore = await this.#round(signal);
        retryMs = FIRST_RETRY_MS;
        if (!hasMore) await this.#sleep(this.#idleMs, { untilWoken: true });
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn({ err: error, retryMs }, "Could not ask contracts; asking again");
        // Every block wakes the loop, but a failing upstream must not be asked each time.
        await this.#sleep(retryMs, { untilWoken: false });
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      }
    }
  }

  /** Does one piece of each kind. Returns whether something was done, so there may be more. */
  async #round(signal: AbortSignal): Promise<boolean> {
    let hasMore = false;
    for (const work of this.#works) {
      if (signal.aborted) return false;
      hasMore = (await work.step(signal)) || hasMore;
    }
    return hasMore;
  }

  async #sleep(ms: number, { untilWoken }: { untilWoken: boolean }): Promise<void> {
    if (this.#stopping.signal.aborted || (untilWoken && this.#isWoken)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        if (!untilWoken && !this.#stopping.signal.aborted) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
