/** How many messages one upstream is sent at once. */

interface Waiting {
  readonly isUrgent: boolean;
  start(): void;
}

/** Messages beyond the limit for urgent calls, so that they need not wait for traces of a block. */
const KEPT_FOR_URGENT = 2;
/** So many urgent calls start however many others wait for answers that may never come. */
const URGENT_AT_ALL_TIMES = 2;

/**
 * Limits the number of concurrent messages to one upstream. The limit grows by one after as many good answers, and is halved after a sign
 * of overload (additive increase, multiplicative decrease). Signs within one round trip count once.
 */
export class AdaptiveLimit {
  readonly #max: number;
  readonly #waiting: Waiting[] = [];
  #limit: number;
  #running = 0;
  #urgent = 0;
  /** rises with each decrease; messages that began before it say nothing about the new limit */
  #epoch = 0;
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(max: number, start = 4) {
    this.#max = max;
    this.#limit = Math.min(start, max);
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** @param isUrgent starts before calls that are not urgent, and slightly beyond the limit */
  async run<T>(isUrgent: boolean, work: () => Promise<T>, isCongestion: (error: unknown) => boolean): Promise<T> {
    await new Promise<void>((start) => {
      const waiting = { isUrgent, start };
      const place = isUrgent ? this.#waiting.findIndex((other) => !other.isUrgent) : -1;
      if (place === -1) this.#waiting.push(waiting);
      else this.#waiting.splice(place, 0, waiting);
      this.#startWaiting();
    });
    const epoch = this.#epoch;
    try {
      const result = await work();
      this.#limit = Math.min(this.#max, this.#limit + 1 / this.#limit);
      return result;
    } catch (error) {
      if (isCongestion(error) && epoch === this.#epoch) this.#decrease();
      throw error;
    } finally {
      this.#running--;
      if (isUrgent) this.#urgent--;
      this.#startWaiting();
    }
  }

  /** Milliseconds for which it starts nothing; 0 or less: it does. */
  get pausedMs(): number {
    return this.#pausedUntil - performance.now();
  }

  /** Starts nothing for this long. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms);
  }

  #decrease(): void {
    this.#epoch++;
    this.#limit = Math.max(1, this.#limit / 2);
  }

  #startWaiting(): void {
    const pauseMs = this.pausedMs;
    if (pauseMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#startWaiting();
      }, pauseMs);
      return;
    }
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const isKept = first.isUrgent && this.#urgent < URGENT_AT_ALL_TIMES;
      if (!isKept && this.#running >= this.limit + (first.isUrgent ? KEPT_FOR_URGENT : 0)) return;
      this.#running++;
      if (first.isUrgent) this.#urgent++;
      this.#waiting.shift();
      first.start();
    }
  }
}
