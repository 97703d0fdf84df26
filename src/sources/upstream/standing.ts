/**
 * How an upstream stands: whether it is asked now, how long its answers are waited for, and when others are asked beside it. All of that
 * follows from what it did.
 */
import type { Aside } from "./upstream-rpc.ts";

const FIRST_REST_MS = 250;
const LONGEST_REST_MS = 30_000;
const FIRST_OTHER_MS = 250;
const LONGEST_OTHER_MS = 3_000;

export class Standing {
  readonly pace: Pace;
  readonly #limit: AdaptiveLimit;
  readonly #isHedged: boolean;
  /** messages in a row without a usable answer */
  #failures = 0;
  #restsUntil = 0;
  /** of the last failure */
  #reason: string | undefined;
  /** times that it contradicted the chain, since it was trusted */
  #refusals = 0;
  #refusal: string | undefined;
  #refusedUntil = 0;
  /** why it is not of this chain, by its last answer to that */
  #networkMismatch: string | undefined;
  #otherUntil = 0;
  /** times in a row that it was of another chain */
  #otherTimes = 0;

  /** @param lateMs when an answer is late of an upstream of which nothing is known; undefined: none ever is */
  constructor(limit: AdaptiveLimit, lateMs: number | undefined) {
    this.#limit = limit;
    this.#isHedged = lateMs !== undefined;
    this.pace = new Pace(lateMs);
  }

  get failures(): number {
    return this.#failures;
  }

  /** of the last failure */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Milliseconds until it should be asked again; 0 or less: now. */
  get restMs(): number {
    return Math.max(this.#restsUntil - performance.now(), this.#limit.pausedMs);
  }

  /** It is silent, or accepts no messages for a while: others are asked first. */
  get isHeldUp(): boolean {
    return this.#isHedged && (this.pace.isSilent || this.#limit.pausedMs > 0);
  }

  /** It rests, or others that do not are asked first all the same; in milliseconds. */
  get lastMs(): number {
    return Math.max(this.isHeldUp || this.pace.isUnstable ? 1 : 0, this.restMs);
  }

  /** It is of another chain or contradicts this one, so it is not asked at present. */
  get isRefused(): boolean {
    return performance.now() < Math.max(this.#otherUntil, this.#refusedUntil);
  }

  get networkMismatch(): string | undefined {
    return this.#networkMismatch;
  }

  /** Why it is, or was, not asked, until it is trusted. */
  get refusal(): string | undefined {
    return this.#networkMismatch ?? this.#refusal;
  }

  answered(): void {
    this.#failures = 0;
    this.#restsUntil = 0;
  }

  /** Notes a missing or impossible answer: the upstream is asked after others, and rests longer each time. */
  fail(reason: Error): void {
    this.#failures++;
    this.pace.failed();
    this.#reason = reason.message;
    const rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (this.#failures - 1));
    this.#restsUntil = performance.now() + rest;
  }

  /** It refused calls as too many: nothing is sent to it for so long. */
  pause(reason: Error, ms = FIRST_REST_MS): void {
    this.#reason = reason.message;
    this.#limit.pause(ms);
    if (this.#limit.pausedMs > 0) this.pace.tellWaiting();
  }

  /**
   * Notes what its answers say it is of; undefined: this chain. While it is of another it is asked for nothing but that, every few seconds: a
   * wrong answer, or a URL that leads elsewhere for an hour, is no reason to leave it out for long.
   */
  identify(networkMismatch: string | undefined): void {
    this.#networkMismatch = networkMismatch;
    this.#otherTimes = networkMismatch === undefined ? 0 : this.#otherTimes + 1;
    const restMs = networkMismatch === undefined ? 0 : Math.min(LONGEST_OTHER_MS, FIRST_OTHER_MS * 2 ** this.#otherTimes);
    this.#otherUntil = performance.now() + restMs;
  }

  refuse(reason: string, { firstMs, longestMs }: Aside): void {
    this.#refusal = reason;
    this.#refusedUntil = performance.now() + Math.min(longestMs, firstMs * 2 ** this.#refusals++);
  }

  /** It may be asked again; the reason stays until it is trusted. */
  clearRefusal(): void {
    this.#refusedUntil = 0;
  }

  /** Forgets refusals, once the time of the last one is over. */
  trust(): void {
    if (this.isRefused) return;
    this.#refusals = 0;
    this.#refusal = undefined;
  }
}

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
  get isUnstable(): boolean {
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
