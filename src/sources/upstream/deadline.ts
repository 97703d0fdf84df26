/** The deadline of an answer: a fixed time, plus one second for each MiB received. Time that this process itself waits does not count. */
const BYTES_PER_SECOND = 2 ** 20;

export class Deadline {
  readonly #startedAt = performance.now();
  #allowedMs: number;
  #waitingSince: number | undefined;
  #timer: NodeJS.Timeout;
  readonly #onOver: () => void;

  constructor(timeoutMs: number, onOver: () => void) {
    this.#allowedMs = timeoutMs;
    this.#onOver = onOver;
    this.#timer = setTimeout(() => this.#look(), timeoutMs);
  }

  /** Extends the deadline after receiving more of the answer. */
  received(bytes: number): void {
    this.#allowedMs += (1000 * bytes) / BYTES_PER_SECOND;
  }

  /** Stops the clock while this process keeps the node waiting. */
  async during(waiting: Promise<void>): Promise<void> {
    this.#waitingSince = performance.now();
    await waiting;
    this.#allowedMs += performance.now() - this.#waitingSince;
    this.#waitingSince = undefined;
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    const leftMs = this.#allowedMs + (this.#waitingSince === undefined ? 0 : now - this.#waitingSince) - (now - this.#startedAt);
    if (leftMs <= 0) this.#onOver();
    else this.#timer = setTimeout(() => this.#look(), Math.max(leftMs, 10));
  }
}
