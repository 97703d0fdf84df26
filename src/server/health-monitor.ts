/** Runs the health checks again and again, in one process; everybody else gets their results. */
import { CheckSet } from "../rpc/health/check-set.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import { type ChainProgress, ProgressObserver } from "./chain-progress.ts";
import type { CommittedStates } from "./committed-states.ts";
import { bootstrappedCheck, type CheckedParts, chainChecks, globalChecks } from "./health-checks.ts";

export class HealthMonitor {
  readonly #parts: CheckedParts;
  readonly #observer: ProgressObserver;
  readonly #health: CheckSet;
  readonly #readiness: CheckSet;
  /** of the chains at the last pass */
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

  /** Passes from now on, `frequencyMs` after the end of each; the first one is the caller's, before it listens. */
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
