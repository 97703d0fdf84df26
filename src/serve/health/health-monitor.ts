/** Runs the health checks repeatedly in one process, which passes the results to the others. */

import { type ChainProgress, ProgressObserver } from "../../api/state/chain-progress.ts";
import type { CommittedStates } from "../../api/state/committed-states.ts";
import { CheckSet } from "../../api/state/health-checks.ts";
import type { HealthReports } from "../../api/state/health-report.ts";
import { bootstrappedCheck, type CheckedParts, chainChecks, globalChecks } from "./health-checks.ts";

export class HealthMonitor {
  readonly #parts: CheckedParts;
  readonly #observer: ProgressObserver;
  readonly #health: CheckSet;
  readonly #readiness: CheckSet;
  /** progress of the chains at the last pass */
  progress: readonly ChainProgress[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: CheckedParts, states: CommittedStates) {
    this.#parts = parts;
    this.#observer = new ProgressObserver(states, parts.network, parts.clock);
    this.#health = new CheckSet(parts.clock);
    this.#readiness = new CheckSet(parts.clock);
  }

  /** Runs every check once. */
  async pass(): Promise<HealthReports> {
    const progress = await this.#observer.observe();
    this.progress = progress;
    await this.#health.run([...globalChecks(this.#parts, progress), ...chainChecks(this.#parts, progress)]);
    await this.#readiness.run([{ ...bootstrappedCheck(progress), isDoneOnceItPasses: true }]);
    return { health: this.#health.results(), readiness: this.#readiness.results() };
  }

  /** Runs passes from now on, each `frequencyMs` after the end of the last. The caller runs the first one before it listens. */
  start(frequencyMs: number, onReports: (reports: HealthReports) => void): void {
    this.#timer = setTimeout(async () => {
      onReports(await this.pass());
      if (!this.#isStopped) this.start(frequencyMs, onReports);
    }, frequencyMs);
    this.#timer.unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
