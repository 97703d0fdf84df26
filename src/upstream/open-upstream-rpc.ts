/**
 * Opens the RPC of one chain or network over all URLs that the operator gave. It does failover, retries and batches, with as much
 * concurrency as the upstreams accept.
 */
import { setMaxListeners } from "node:events";
import type { Logger } from "pino";
import { DEFAULT_LIMITS, type Limits } from "../limits/limits.ts";
import { FirnError } from "../primitives/errors.ts";
import { pause } from "../primitives/pause.ts";
import { AnswerMemory } from "./answer-memory.ts";
import { Asking } from "./asking.ts";
import { type AskOptions, Upstream, upstreamNames } from "./upstream.ts";
import type { Aside, RequestOptions, RpcCall, RpcOutcome, RpcParams, UpstreamState, Upstreams } from "./upstream-rpc.ts";

/** How to recognise upstreams of another chain or network, which are never asked for anything else. */
export interface UpstreamIdentity {
  /** calls to each upstream before anything else */
  readonly calls: readonly RpcCall[];
  /** names the chain or network of an upstream, for people; undefined: these are not answers to the calls */
  readonly read: (results: readonly unknown[]) => string | undefined;
  /** Name of the expected chain or network. By default that of the first upstream that answers; a single URL is then not asked. */
  readonly expected?: string;
}

export type UpstreamLimits = Pick<Limits, "upstreamAnswersBytes" | "upstreamTraceBytes">;

export interface UpstreamRpcSettings {
  /** `http(s)://` and `ws(s)://`, best first; all of the same chain or network */
  readonly urls: readonly string[];
  /** default: no upstream is checked */
  readonly identity?: UpstreamIdentity;
  readonly log: Logger;
  /** whether the caller itself logs that the only upstream has not answered yet; default: false */
  readonly isStartReported?: boolean;
  /** concurrent messages per upstream, at most; default 32 */
  readonly maxConcurrency?: number;
  /** calls per message, at most; default 100 */
  readonly maxBatch?: number;
  /** bytes of one message's answer without traces; default 256 MiB */
  readonly maxAnswerBytes?: number;
  readonly limits?: UpstreamLimits;
  /** budget of all answers that are being read; by default shared by all chains of the process, as large as the limits say */
  readonly memory?: AnswerMemory;
  /** until the whole answer has arrived; default 30,000 */
  readonly timeoutMs?: number;
  /**
   * the same in the first round over the upstreams, doubled each time, as long as an upstream's answers do not usually take longer; default:
   * as long as in every round
   */
  readonly firstTimeoutMs?: number;
  /** until upstreams that did not answer are asked again, doubled each time up to 5 s; default 100 */
  readonly firstWaitMs?: number;
}

const MAX_CONCURRENCY = 32;
const MAX_BATCH = 100;
const MAX_ANSWER_BYTES = 256 * 2 ** 20;
const TIMEOUT_MS = 30_000;
const INTERACTIVE_TIMEOUT_MS = 5_000;
/** rounds over the upstreams before a call fails */
const ATTEMPTS = 6;
const INTERACTIVE_ATTEMPTS = 3;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/** by size; a process has one, unless it embeds servers with different limits */
const processMemories = new Map<number, AnswerMemory>();

export function openUpstreamRpc(settings: UpstreamRpcSettings): Upstreams {
  if (settings.urls.length === 0) throw new FirnError("upstream-urls", "there is no URL of a node; give at least one");
  return new Failover(settings);
}

function processMemory(bytes: number): AnswerMemory {
  const memory = processMemories.get(bytes) ?? new AnswerMemory(bytes);
  processMemories.set(bytes, memory);
  return memory;
}

type Rank = NonNullable<RequestOptions["rank"]>;

/** "unknown": the upstream does not answer */
type Whose = "ours" | "other" | "unknown";

class Failover implements Upstreams {
  readonly #upstreams: readonly Upstream[];
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #firstTimeoutMs: number;
  readonly #firstWaitMs: number;
  readonly #closed = new AbortController();
  /** ends the waiting for the next round: an upstream can be asked again */
  #news = new AbortController();
  /** upstreams that a log line reported as failing */
  readonly #down = new Set<Upstream>();
  readonly #hasAnswered = new Set<Upstream>();
  readonly #isStartReported: boolean;
  readonly #identity: UpstreamIdentity | undefined;
  /** what upstreams turned out to be */
  readonly #identified = new Map<Upstream, Promise<Whose>>();
  #expected: string | undefined;

  constructor({
    urls,
    identity,
    log,
    timeoutMs = TIMEOUT_MS,
    firstTimeoutMs = timeoutMs,
    firstWaitMs = FIRST_WAIT_MS,
    ...settings
  }: UpstreamRpcSettings) {
    this.#isStartReported = settings.isStartReported ?? false;
    const { maxConcurrency = MAX_CONCURRENCY, maxBatch = MAX_BATCH, maxAnswerBytes = MAX_ANSWER_BYTES } = settings;
    const { limits: { upstreamAnswersBytes, upstreamTraceBytes } = DEFAULT_LIMITS } = settings;
    const { memory = processMemory(upstreamAnswersBytes) } = settings;
    const limits = { maxConcurrency, maxBatch, bounds: { maxAnswerBytes, maxTraceBytes: upstreamTraceBytes }, memory };
    const names = upstreamNames(urls);
    this.#upstreams = urls.map((url, place) => new Upstream(url, names[place]!, limits));
    this.#identity = identity?.expected === undefined && urls.length === 1 ? undefined : identity;
    this.#expected = identity?.expected;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#firstTimeoutMs = firstTimeoutMs;
    this.#firstWaitMs = firstWaitMs;
    // each call that waits for its next attempt adds a listener
    setMaxListeners(0, this.#closed.signal, this.#news.signal);
  }

  async request(method: string, params: RpcParams, options?: RequestOptions): Promise<unknown> {
    const [outcome] = await this.requestAll([{ method, params }], options);
    if ("error" in outcome!) throw outcome.error;
    return outcome!.result;
  }

  async requestAll(calls: readonly RpcCall[], options: RequestOptions = {}): Promise<readonly RpcOutcome[]> {
    if (calls.length === 0) return [];
    const {
      accept,
      rank = (place) => place,
      signal,
      isInteractive = false,
      attempts = isInteractive ? INTERACTIVE_ATTEMPTS : ATTEMPTS,
    } = options;
    const { timeoutMs = isInteractive ? INTERACTIVE_TIMEOUT_MS : this.#timeoutMs, evenRefused = false } = options;
    // each message under way adds a listener
    if (signal !== undefined) setMaxListeners(0, signal);
    const wakers = signal === undefined ? [this.#closed.signal] : [this.#closed.signal, signal];
    const asking = new Asking(calls, accept);
    for (let attempt = 0; ; attempt++) {
      asking.startRound();
      await this.#askAll(asking, this.#ranked(rank, evenRefused), {
        isInteractive,
        signal,
        timeoutMs: Math.min(timeoutMs, this.#timeoutMs),
        patienceMs: this.#firstTimeoutMs * 2 ** attempt,
      });
      const hasEnded = attempt + 1 >= attempts || signal?.aborted || this.#closed.signal.aborted;
      if (hasEnded || asking.isDone || asking.isRefused) return asking.outcomes;
      await pause(waitMs(attempt, this.#firstWaitMs), this.#news.signal, ...wakers);
    }
  }

  subscribeHeads(onHead: () => void, signal: AbortSignal): boolean {
    return this.#upstreams.map((upstream) => upstream.subscribe(onHead, signal)).includes(true);
  }

  states(): readonly UpstreamState[] {
    return this.#upstreams.map((upstream) => upstream.state);
  }

  refuse(place: number, reason: string, aside: Aside): void {
    const upstream = this.#upstreams[place]!;
    // once, until it is trusted
    if (upstream.state.state !== "refused") this.#log.error({ upstream: upstream.name, reason }, "Set an upstream aside");
    upstream.refuse(reason, aside);
  }

  pardon(place: number): void {
    this.#upstreams[place]!.pardon();
    this.#wake();
  }

  trust(place: number): void {
    this.#upstreams[place]!.trust();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    for (const upstream of this.#upstreams) upstream.close();
  }

  /** One round: asks the best upstream first, then others for the calls that it did not answer. */
  async #askAll(asking: Asking, ranked: readonly Upstream[], options: AskOptions): Promise<void> {
    for (const upstream of ranked) {
      if (asking.isDone || options.signal?.aborted) return;
      const calls = asking.callsFor(upstream);
      if (calls.length === 0) continue;
      const whose = await this.#identify(upstream, options);
      if (whose === "unknown") asking.miss(upstream);
      if (whose !== "ours") continue;
      const failures = upstream.failures;
      const outcomes = await upstream.ask(
        calls.map((index) => asking.calls[index]!),
        options,
      );
      const isAccepted = asking.take(calls, outcomes, this.#upstreams.indexOf(upstream));
      if (!isAccepted) upstream.contradictItself(asking.problem!);
      this.#tell(upstream, failures, asking);
    }
  }

  /** Upstreams that rest come last, so they are only asked if no other answers. */
  #ranked(rank: Rank, evenRefused: boolean): Upstream[] {
    const ranked = this.#upstreams.flatMap((upstream, index) => {
      const place = upstream.isRefused && !evenRefused ? undefined : rank(index);
      return place === undefined ? [] : [{ upstream, place, restMs: Math.max(0, upstream.restMs) }];
    });
    return ranked.sort((a, b) => a.restMs - b.restMs || a.place - b.place).map(({ upstream }) => upstream);
  }

  #identify(upstream: Upstream, options: AskOptions): Promise<Whose> {
    let known = this.#identified.get(upstream);
    if (known === undefined) {
      known = this.#askIdentity(upstream, options);
      this.#identified.set(upstream, known);
    }
    return known;
  }

  async #askIdentity(upstream: Upstream, options: AskOptions): Promise<Whose> {
    if (this.#identity === undefined) return "ours";
    const { calls, read } = this.#identity;
    const outcomes = await upstream.ask(calls, options);
    const results = outcomes.flatMap((outcome) => ("result" in outcome ? [outcome.result] : []));
    const found = results.length === calls.length ? read(results) : undefined;
    if (found === undefined) {
      // it did not answer, so ask again next time
      this.#identified.delete(upstream);
      return "unknown";
    }
    this.#expected ??= found;
    const otherness = found === this.#expected ? undefined : `it is of ${found}, not of ${this.#expected}`;
    if (otherness !== undefined && otherness !== upstream.otherness) {
      this.#log.error({ upstream: upstream.name, found, expected: this.#expected }, "Ignored an upstream of another chain");
    }
    if (otherness === undefined && upstream.otherness !== undefined) this.#wake();
    upstream.identify(otherness);
    if (otherness === undefined) return "ours";
    this.#identified.delete(upstream);
    return "other";
  }

  #wake(): void {
    this.#news.abort();
    this.#news = new AbortController();
    setMaxListeners(0, this.#news.signal);
  }

  #tell(upstream: Upstream, failuresBefore: number, asking: Asking): void {
    if (upstream.failures === 0) this.#hasAnswered.add(upstream);
    if (this.#isStartReported && this.#upstreams.length === 1 && !this.#hasAnswered.has(upstream)) return;
    if (upstream.failures > failuresBefore && !this.#down.has(upstream)) {
      this.#down.add(upstream);
      this.#log.warn({ upstream: upstream.name, reason: asking.problem?.message }, "Upstream returned no valid answer");
    } else if (upstream.failures === 0 && this.#down.delete(upstream)) {
      this.#wake();
      this.#log.info({ upstream: upstream.name }, "Upstream answers again");
    }
  }
}

function waitMs(attempt: number, firstMs: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, firstMs * 2 ** attempt);
  return longest * (0.5 + Math.random() / 2);
}
