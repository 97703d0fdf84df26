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

/** Resolves after `ms`, or as soon as one of the signals is aborted. It leaves nothing behind in signals that live long, as `AbortSignal.any` does. */
export function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signals.some(({ aborted }) => aborted)) end();
    else for (const signal of signals) signal.addEventListener("abort", end);
  });
}

/** Wakes whoever waits for the next change of something, again and again. */
export class Notifier {
  readonly #waiting = new Set<AbortController>();

  notify(): void {
    for (const woken of this.#waiting) woken.abort();
  }

  /** Resolves at the next `notify`, after `ms`, or as soon as one of the signals is aborted. */
  async next(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
    const woken = new AbortController();
    this.#waiting.add(woken);
    await pause(ms, woken.signal, ...signals);
    this.#waiting.delete(woken);
  }
}
