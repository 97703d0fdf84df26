/**
 * One request on its way: asks the best upstream first, and the next one where it fails, lacks something, or is late. The first answers count;
 * whoever is late then is let go of.
 */

import { setMaxListeners } from "node:events";
import { pause } from "../../base/work/pause.ts";
import type { Upstream } from "./upstream.ts";
import { UpstreamError } from "./upstream-error.ts";
import type { RequestOptions, RpcCall, RpcOutcome } from "./upstream-rpc.ts";

/** Calls on their way to answers: what each upstream said so far, and which calls are still open. */
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

export interface Turn {
  readonly upstream: Upstream;
  /** aborted when its answers are no longer needed */
  readonly signal: AbortSignal;
  readonly onLate: () => void;
}

interface HedgedRequestOptions {
  readonly asking: Asking;
  /** Asks one upstream, and takes its answers. */
  readonly ask: (turn: Turn) => Promise<void>;
  /** end the request when they are aborted */
  readonly signals: readonly AbortSignal[];
}

/** Resolved by events, not by time. */
const FOREVER_MS = 2 ** 30;

export class HedgedRequest {
  readonly #options: HedgedRequestOptions;
  /** whether those that are asked at present are late */
  readonly #running = new Map<Upstream, { isLate: boolean }>();
  readonly #asked = new Map<Upstream, number>();
  readonly #ended = new AbortController();
  /** aborted when one of them has answered, has failed, or is late */
  #change = new AbortController();
  #failure: { readonly error: unknown } | undefined;

  constructor(options: HedgedRequestOptions) {
    this.#options = options;
    // each message and each request adds a listener
    setMaxListeners(0, this.#ended.signal, ...options.signals);
    for (const signal of options.signals) signal.addEventListener("abort", this.#end);
    if (this.#isAborted) this.#end();
  }

  /** Some upstream that is late may still answer. */
  get isWaiting(): boolean {
    return this.#running.size > 0;
  }

  /** Whether each of these upstreams was asked so many times. */
  hasAsked(upstreams: readonly Upstream[], times: number): boolean {
    return upstreams.every((upstream) => (this.#asked.get(upstream) ?? 0) >= times);
  }

  /** Resolves when all calls are answered, or none of those that are late may still answer. */
  async answered(): Promise<void> {
    while (this.isWaiting && !this.#options.asking.isDone && !this.#isAborted) await this.wait(FOREVER_MS);
  }

  /** Asks upstreams until all calls are answered, or each has failed or is late. @param ranked those that may be asked now, best first */
  async round(ranked: () => readonly Upstream[]): Promise<void> {
    const asked = new Set<Upstream>();
    while (!this.#options.asking.isDone && !this.#isAborted) {
      if (this.#failure !== undefined) throw this.#failure.error;
      if ([...this.#running.values()].some(({ isLate }) => !isLate)) {
        await this.wait(FOREVER_MS);
        continue;
      }
      const next = ranked().find((upstream) => !asked.has(upstream) && !this.#running.has(upstream));
      if (next === undefined) return;
      asked.add(next);
      this.#start(next);
    }
  }

  /** Resolves after so many milliseconds, or when something has changed. */
  async wait(mostMs: number, ...signals: readonly AbortSignal[]): Promise<void> {
    await pause(mostMs, this.#change.signal, ...this.#options.signals, ...signals);
    if (this.#change.signal.aborted) this.#change = new AbortController();
  }

  /** Lets go of those that have not answered. */
  end(): void {
    const { asking, signals } = this.#options;
    for (const signal of signals) signal.removeEventListener("abort", this.#end);
    if (asking.isDone && !this.#isAborted) for (const upstream of this.#running.keys()) upstream.superseded();
    this.#end();
  }

  get #isAborted(): boolean {
    return this.#options.signals.some(({ aborted }) => aborted);
  }

  readonly #end = () => this.#ended.abort();

  #start(upstream: Upstream): void {
    const turn = { isLate: upstream.standing.isHeldUp };
    const onLate = () => {
      if (turn.isLate) return;
      turn.isLate = true;
      this.#change.abort();
    };
    this.#running.set(upstream, turn);
    this.#asked.set(upstream, (this.#asked.get(upstream) ?? 0) + 1);
    const stopWaiting = upstream.standing.pace.wait(onLate);
    void this.#options
      .ask({ upstream, signal: this.#ended.signal, onLate })
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        stopWaiting();
        this.#running.delete(upstream);
        this.#change.abort();
      });
  }
}
