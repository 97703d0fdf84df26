import type { Limits } from "../../base/limits.ts";
import { pause } from "../../base/work/pause.ts";
import type { LiveFact, LiveFacts, PassedFact, PassedUptimes } from "../state/node-facts.ts";

/** without a newer answer, uptimes are shown for so many times as long as they are kept */
const LONGEST_SHOWN = 5;

type KeptLimits = Pick<Limits, "passedFactSeconds" | "passedUptimeSeconds" | "passedUptimeMilliseconds">;

/** Asks once in some seconds, however many clients do. */
export class KeptFacts implements LiveFacts {
  readonly #live: LiveFacts;
  readonly #limits: KeptLimits;
  readonly #now: () => number;
  readonly #kept = new Map<LiveFact, { readonly askedAt: number; readonly answer: Promise<PassedFact | undefined> }>();
  /** the last uptimes, and when they came */
  #uptimes: { readonly told: PassedUptimes; readonly at: number } | undefined;
  /** the question that waits for its answer */
  #asking: { readonly since: number; readonly answered: Promise<void> } | undefined;
  #askAgainAt = Number.NEGATIVE_INFINITY;

  constructor(live: LiveFacts, limits: KeptLimits, now: () => number = () => performance.now()) {
    this.#live = live;
    this.#limits = limits;
    this.#now = now;
  }

  fact(name: LiveFact): Promise<PassedFact | undefined> {
    const kept = this.#kept.get(name);
    const now = this.#now();
    if (kept !== undefined && now - kept.askedAt < this.#limits.passedFactSeconds * 1000) return kept.answer;
    const answer = this.#live.fact(name);
    this.#kept.set(name, { askedAt: now, answer });
    return answer;
  }

  /** Waits for the nodes only while there is nothing to show, and only shortly. */
  async uptimes(): Promise<PassedUptimes | undefined> {
    if (this.#asking === undefined && this.#now() >= this.#askAgainAt) this.#asking = { since: this.#now(), answered: this.#ask() };
    if (this.#asking !== undefined && this.#shown() === undefined) {
      const leftMs = this.#asking.since + this.#limits.passedUptimeMilliseconds - this.#now();
      const waiting = new AbortController();
      if (leftMs > 0) await Promise.race([this.#asking.answered, pause(leftMs, waiting.signal)]).finally(() => waiting.abort());
    }
    return this.#shown();
  }

  #shown(): PassedUptimes | undefined {
    const longestMs = LONGEST_SHOWN * this.#limits.passedUptimeSeconds * 1000;
    return this.#uptimes !== undefined && this.#now() - this.#uptimes.at < longestMs ? this.#uptimes.told : undefined;
  }

  async #ask(): Promise<void> {
    const told = await this.#live.uptimes().catch(() => undefined);
    const at = this.#now();
    if (told !== undefined) this.#uptimes = { told, at };
    this.#asking = undefined;
    this.#askAgainAt = at + (told === undefined ? this.#limits.passedFactSeconds : this.#limits.passedUptimeSeconds) * 1000;
  }
}
