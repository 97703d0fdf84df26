/** Recent response times of an upstream: how long an answer is waited for, and when others are asked beside it. */

/** Timeout: so many times the slowest recent answer. */
const SLOWER = 3;
/** After an answer was waited for in vain, the next one may take so many times as long. */
const MORE_PATIENT = 2;
/** An answer is late when it takes so many times the slowest recent answer, within bounds. */
const LATER = 2;
const LONGEST_LATE_MS = 2_000;
/** Failures are forgotten: after so long, half of them. */
const HALF_FORGOTTEN_MS = 2_000;
const MOST_REMEMBERED = 4;
const SHAKY_FAILURES = 1.5;
/** what each good answer leaves of how slow earlier ones were */
const SLOWNESS_KEPT = 0.95;

export class Pace {
  readonly #firstLateMs: number | undefined;
  /** recent times until a whole answer had arrived */
  #slowestMs = 0;
  /** recent times until an answer was given up */
  #gaveUpMs = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #isSilent = false;
  /** failures as remembered at the last one */
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** told when it is silent */
  readonly #waiting = new Set<() => void>();

  /** @param firstLateMs when an answer is late of an upstream of which nothing is known; undefined: none ever is */
  constructor(firstLateMs: number | undefined) {
    this.#firstLateMs = firstLateMs;
  }

  /** Nothing was answered while an answer became late. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** It has failed several times recently, whatever it answered in between. */
  get isShaky(): boolean {
    return this.#firstLateMs !== undefined && this.#remembered > SHAKY_FAILURES;
  }

  failed(): void {
    this.#failures = Math.min(MOST_REMEMBERED, this.#remembered + 1);
    this.#failedAt = performance.now();
  }

  get #remembered(): number {
    return this.#failures * 0.5 ** ((performance.now() - this.#failedAt) / HALF_FORGOTTEN_MS);
  }

  /** How long an answer is waited for. */
  patienceMs(leastMs: number): number {
    return Math.ceil(Math.max(leastMs, SLOWER * this.#slowestMs, MORE_PATIENT * this.#gaveUpMs));
  }

  answered(ms: number): void {
    this.#slowestMs = Math.max(ms, this.#slowestMs * SLOWNESS_KEPT);
    this.#gaveUpMs *= SLOWNESS_KEPT;
    this.#answeredAt = performance.now();
    this.#isSilent = false;
  }

  gaveUp(ms: number): void {
    this.#gaveUpMs = Math.max(ms, this.#gaveUpMs);
  }

  /** Calls `onLate` when a message that is sent now is late. Returns how to stop that. */
  watch(onLate: () => void): () => void {
    if (this.#firstLateMs === undefined) return () => {};
    const lateMs = Math.max(this.#firstLateMs, Math.min(LONGEST_LATE_MS, LATER * this.#slowestMs));
    const timer = setTimeout(() => {
      onLate();
      if (performance.now() - this.#answeredAt < lateMs / 2) return;
      this.#isSilent = true;
      this.tellWaiting();
    }, lateMs);
    return () => clearTimeout(timer);
  }

  /** Calls `onLate` when the upstream is silent, or does not accept messages for a while. Returns how to stop that. */
  wait(onLate: () => void): () => void {
    if (this.#firstLateMs === undefined) return () => {};
    this.#waiting.add(onLate);
    return () => this.#waiting.delete(onLate);
  }

  tellWaiting(): void {
    for (const tell of [...this.#waiting]) tell();
  }
}
