import type { LiveFact, LiveFacts, PassedFact } from "../node/node-facts.ts";

const KEPT_MS = 5_000;

/** Asks once in some seconds, however many clients do. */
export class KeptFacts implements LiveFacts {
  readonly #live: LiveFacts;
  readonly #now: () => number;
  readonly #kept = new Map<LiveFact, { readonly askedAt: number; readonly answer: Promise<PassedFact> }>();

  constructor(live: LiveFacts, now: () => number = () => performance.now()) {
    this.#live = live;
    this.#now = now;
  }

  fact(name: LiveFact): Promise<PassedFact> {
    const kept = this.#kept.get(name);
    const now = this.#now();
    if (kept !== undefined && now - kept.askedAt < KEPT_MS) return kept.answer;
    const answer = this.#live.fact(name);
    this.#kept.set(name, { askedAt: now, answer });
    return answer;
  }
}
