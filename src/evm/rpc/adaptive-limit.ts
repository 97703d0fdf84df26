/**
 * How many messages may be under way at one upstream: one more after as many good answers as may be under way, half of it after a sign that it is
 * too much (additive increase, multiplicative decrease). Signs within one round trip count once.
 */
interface Waiting {
  readonly isUrgent: boolean;
  start(): void;
}

/** beyond the limit: who is urgent does not wait until a block was traced */
const KEPT_FOR_URGENT = 2;

export class AdaptiveLimit {
  readonly #max: number;
  readonly #waiting: Waiting[] = [];
  #limit: number;
  #running = 0;
  /** rises with each decrease: what began before it says nothing of the new limit */
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

  /** @param isUrgent goes before all that is not, and a little beyond the limit */
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
      this.#startWaiting();
    }
  }

  /** Nothing is begun for so long. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + ms);
  }

  #decrease(): void {
    this.#epoch++;
    this.#limit = Math.max(1, this.#limit / 2);
  }

  #startWaiting(): void {
    const pauseMs = this.#pausedUntil - Date.now();
    if (pauseMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#startWaiting();
      }, pauseMs);
      return;
    }
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#running >= this.limit + (first.isUrgent ? KEPT_FOR_URGENT : 0)) return;
      this.#running++;
      this.#waiting.shift();
      first.start();
    }
  }
}
