import { setTimeout as sleep } from "node:timers/promises";

interface InsistOptions {
  readonly signal: AbortSignal;
  /** until what failed is tried again, doubled each time */
  readonly firstMs: number;
  readonly longestMs: number;
  /** whether a failure may pass; others are thrown */
  readonly mayPass: (error: unknown) => error is Error;
  readonly onFailure: (error: Error, waitMs: number) => void;
}

/** Asks until there is a usable answer. Rejects when `signal` is aborted. */
export async function insist<T>(ask: () => Promise<T>, { signal, firstMs, longestMs, mayPass, onFailure }: InsistOptions): Promise<T> {
  for (let waitMs = firstMs; ; waitMs = Math.min(2 * waitMs, longestMs)) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
      onFailure(error, waitMs);
      await sleep(waitMs, undefined, { signal });
    }
  }
}

/** What a promise resolves to; undefined if it takes longer, or the signal is aborted first. The promise must not reject. */
export function settledWithin<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve) => {
    const end = (value?: T) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      resolve(value);
    };
    const giveUp = () => end();
    const timer = setTimeout(giveUp, ms);
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    void promise.then(end);
  });
}
