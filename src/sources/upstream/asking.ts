/** Calls on their way to answers: what each upstream said so far, and which calls are still open. */
import type { Upstream } from "./upstream.ts";
import { UpstreamError } from "./upstream-error.ts";
import type { RequestOptions, RpcCall, RpcOutcome } from "./upstream-rpc.ts";

export class Asking {
  readonly calls: readonly RpcCall[];
  readonly #accept: RequestOptions["accept"];
  readonly #outcomes: (RpcOutcome | undefined)[];
  /** final refusals so far; another upstream may still answer */
  readonly #refusals: (UpstreamError | undefined)[];
  #problem: Error | undefined;

  constructor(calls: readonly RpcCall[], accept: RequestOptions["accept"]) {
    this.calls = calls;
    this.#accept = accept;
    this.#outcomes = calls.map(() => undefined);
    this.#refusals = calls.map(() => undefined);
  }

  get problem(): Error | undefined {
    return this.#problem;
  }

  /** number of calls that have an answer */
  get answered(): number {
    return this.#outcomes.filter((outcome) => outcome !== undefined).length;
  }

  get isDone(): boolean {
    return this.#outcomes.every((outcome) => outcome !== undefined);
  }

  /** Every open call was refused, and no upstream was unreachable, so asking again changes nothing. */
  get isRefused(): boolean {
    return (
      this.#problem === undefined && this.#outcomes.every((outcome, index) => outcome !== undefined || this.#refusals[index] !== undefined)
    );
  }

  /** Notes that the upstream could not be asked. */
  miss({ name }: Upstream): void {
    this.#problem ??= new UpstreamError("unavailable", `${name} does not answer`);
  }

  startRound(): void {
    this.#problem = undefined;
    this.#refusals.fill(undefined);
  }

  /** The caller gave up. */
  abandon(): void {
    const error = new UpstreamError("aborted", "the caller gave up");
    for (const [index, outcome] of this.#outcomes.entries()) this.#outcomes[index] = outcome ?? { error };
  }

  get outcomes(): RpcOutcome[] {
    // A refusal counts only if all upstreams were asked: an unreachable one might answer.
    const error = new UpstreamError("unavailable", "no upstream answers");
    return this.#outcomes.map((outcome, index) => outcome ?? { error: this.#problem ?? this.#refusals[index] ?? error });
  }

  /** Indexes of calls that have no answer yet and that the upstream may support. */
  callsFor(upstream: Upstream): number[] {
    return this.calls.flatMap((call, index) => {
      if (this.#outcomes[index] !== undefined) return [];
      if (!upstream.lacks(call)) return [index];
      this.#refusals[index] ??= new UpstreamError("unsupported", `${upstream.name} has no ${call.method}`);
      return [];
    });
  }

  /** Returns false if the answers were not accepted. @param upstream its place in the list of URLs */
  take(indexes: readonly number[], outcomes: readonly RpcOutcome[], upstream: number): boolean {
    for (const [i, index] of indexes.entries()) {
      if (this.#outcomes[index] !== undefined) continue;
      const outcome = { ...outcomes[i]!, upstream };
      const error = "error" in outcome ? (outcome.error as UpstreamError) : undefined;
      if (error === undefined || error.failure === "refused" || error.failure === "aborted") this.#outcomes[index] = outcome;
      else if (error.failure === "unsupported" || error.failure === "no-state" || error.failure === "too-large")
        this.#refusals[index] = error;
      else this.#problem = error;
    }
    if (!this.isDone) return true;
    try {
      this.#accept?.(this.#outcomes as RpcOutcome[]);
      return true;
    } catch (error) {
      this.#problem = error as Error;
      this.#outcomes.fill(undefined);
      return false;
    }
  }
}
