/** A set of checks that run together, and their results (rpc-avm-info-health 6.3, 6.4). Requests only read stored results. */

import { formatAcceptedAt } from "../../base/json/accepted-at.ts";
import { type JsonValue, renderedText } from "../../base/json/go-encode.ts";
import type { StoredCheck } from "./health-report.ts";

/** The outcome of a check; `error` makes it fail. */
export interface CheckOutcome {
  readonly message?: JsonValue;
  readonly error?: string | undefined;
}

export interface Check {
  readonly name: string;
  readonly tags: readonly string[];
  /** A rejection counts as a failure without a message. */
  run(): Promise<CheckOutcome>;
  /** keeps the outcome of its first success */
  readonly isDoneOnceItPasses?: true;
}

interface Streak {
  contiguousFailures: number;
  timeOfFirstFailure: string;
}

export interface Clock {
  /** Unix nanoseconds */
  now(): bigint;
}

/** The system time with the resolution of the high-resolution timer. */
export const systemClock: Clock = {
  now: () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n,
};

const NEVER = "0001-01-01T00:00:00Z";

export class CheckSet {
  readonly #clock: Clock;
  readonly #results = new Map<string, StoredCheck>();
  readonly #streaks = new Map<string, Streak>();
  readonly #firstSuccess = new Map<string, CheckOutcome>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Sorted by name, as in the report. */
  results(): StoredCheck[] {
    return [...this.#results.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Runs all checks concurrently. A new check is reported as not yet run; one that is no longer given is dropped. */
  async run(checks: readonly Check[]): Promise<void> {
    const names = new Set(checks.map(({ name }) => name));
    for (const name of this.#results.keys()) if (!names.has(name)) this.#results.delete(name);
    for (const check of checks) if (!this.#results.has(check.name)) this.#results.set(check.name, notYetRun(check));
    await Promise.all(checks.map((check) => this.#runOne(check)));
  }

  async #runOne(check: Check): Promise<void> {
    const startedAt = this.#clock.now();
    const outcome = this.#firstSuccess.get(check.name) ?? (await check.run().catch((error: unknown) => ({ error: textOf(error) })));
    const finishedAt = this.#clock.now();
    const timestamp = formatAcceptedAt(finishedAt);
    const isPassing = outcome.error === undefined;
    if (isPassing) {
      this.#streaks.delete(check.name);
      if (check.isDoneOnceItPasses) this.#firstSuccess.set(check.name, outcome);
    } else {
      const streak = this.#streaks.get(check.name) ?? { contiguousFailures: 0, timeOfFirstFailure: timestamp };
      this.#streaks.set(check.name, { ...streak, contiguousFailures: streak.contiguousFailures + 1 });
    }
    const json = renderedText({
      message: (outcome as CheckOutcome).message,
      error: outcome.error,
      timestamp,
      duration: finishedAt - startedAt,
      ...this.#streaks.get(check.name),
    });
    this.#results.set(check.name, { name: check.name, tags: check.tags, isPassing, json });
  }
}

function notYetRun({ name, tags }: Check): StoredCheck {
  return { name, tags, isPassing: false, json: renderedText({ error: "not yet run", timestamp: NEVER, duration: 0 }) };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
