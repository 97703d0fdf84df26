/**
 * Opens the RPC of one chain or network over all URLs that the operator gave. It does failover, retries and batches, with as much
 * concurrency as the upstreams accept.
 */

import { setMaxListeners } from "node:events";
import type { Logger } from "pino";
import { FirnError } from "../../base/errors/errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../../base/limits.ts";
import { AnswerMemory } from "./answer-memory.ts";
import { Asking, HedgedRequest, type Turn } from "./hedged-request.ts";
import { settledWithin } from "./insist.ts";
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
   * the same for an upstream whose answers do not usually take longer, doubled each time that it does not answer; default: as long as for all
   */
  readonly firstTimeoutMs?: number;
  /** until the next upstream is asked beside one that does not usually take so long; default: it is asked when that one has failed */
  readonly lateMs?: number;
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
/** the same where others are asked beside one that is late */
const LONGEST_HEDGED_WAIT_MS = 1_000;
/** until an upstream that may be late has said what it is of */
const IDENTITY_TIMEOUT_MS = 4_000;

/** Ended by a signal. */
const FOREVER_MS = 2 ** 30;

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
  readonly #longestWaitMs: number;
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
    const bounds = { maxAnswerBytes, maxTraceBytes: upstreamTraceBytes };
    const limits = { maxConcurrency, maxBatch, bounds, memory, lateMs: settings.lateMs };
    const names = upstreamNames(urls);
    this.#upstreams = urls.map((url, place) => new Upstream(url, names[place]!, limits));
    this.#identity = identity?.expected === undefined && urls.length === 1 ? undefined : identity;
    this.#expected = identity?.expected;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#firstTimeoutMs = firstTimeoutMs;
    this.#firstWaitMs = firstWaitMs;
    this.#longestWaitMs = settings.lateMs === undefined ? LONGEST_WAIT_MS : LONGEST_HEDGED_WAIT_MS;
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
    const asking = new Asking(calls, accept);
    const signals = signal === undefined ? [this.#closed.signal] : [this.#closed.signal, signal];
    const { decoder } = options;
    const most = { isInteractive, timeoutMs: Math.min(timeoutMs, this.#timeoutMs), patienceMs: this.#firstTimeoutMs, decoder };
    const request = new HedgedRequest({ asking, signals, ask: (turn) => this.#ask(asking, { ...most, ...turn }) });
    try {
      for (let rounds = 1; ; rounds++) {
        const ranked = () => this.#ranked(rank, evenRefused);
        const before = asking.answered;
        asking.startRound();
        await request.round(ranked);
        // a node that allows few calls answers some in each round
        if (asking.answered > before && !isInteractive) rounds = 1;
        if (asking.isDone || signals.some(({ aborted }) => aborted)) break;
        if (rounds >= attempts && request.hasAsked(ranked(), attempts)) {
          await request.answered();
          break;
        }
        if (!request.isWaiting && asking.isRefused) break;
        await request.wait(waitMs(rounds - 1, this.#firstWaitMs, this.#longestWaitMs), this.#news.signal);
      }
    } finally {
      request.end();
    }
    if (signal?.aborted) asking.abandon();
    return asking.outcomes;
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

  clearRefusal(place: number): void {
    this.#upstreams[place]!.standing.clearRefusal();
    this.#wake();
  }

  trust(place: number): void {
    this.#upstreams[place]!.standing.trust();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    for (const upstream of this.#upstreams) upstream.close();
  }

  /** Asks one upstream for what has no answer yet. */
  async #ask(asking: Asking, { upstream, ...options }: AskOptions & Turn): Promise<void> {
    const calls = asking.callsFor(upstream);
    if (calls.length === 0) return;
    const whose = await settledWithin(this.#identify(upstream), FOREVER_MS, options.signal);
    if (whose === "unknown") asking.miss(upstream);
    if (whose !== "ours") return;
    const { failures } = upstream.standing;
    const outcomes = await upstream.ask(
      calls.map((index) => asking.calls[index]!),
      options,
    );
    if (options.signal.aborted) return;
    const isAccepted = asking.take(calls, outcomes, this.#upstreams.indexOf(upstream));
    if (!isAccepted) upstream.contradictItself(asking.problem!);
    this.#tell(upstream, failures, asking);
  }

  /** Upstreams that rest come last, so they are only asked if no other answers. */
  #ranked(rank: Rank, evenRefused: boolean): Upstream[] {
    const ranked = this.#upstreams.flatMap((upstream, index) => {
      const place = upstream.standing.isRefused && !evenRefused ? undefined : rank(index);
      return place === undefined ? [] : [{ upstream, place, lastMs: upstream.standing.lastMs }];
    });
    return ranked.sort((a, b) => a.lastMs - b.lastMs || a.place - b.place).map(({ upstream }) => upstream);
  }

  #identify(upstream: Upstream): Promise<Whose> {
    let known = this.#identified.get(upstream);
    if (known === undefined) {
      known = this.#askIdentity(upstream);
      this.#identified.set(upstream, known);
    }
    return known;
  }

  /** Whoever comes first asks for all, so nobody's hurry counts. */
  async #askIdentity(upstream: Upstream): Promise<Whose> {
    if (this.#identity === undefined) return "ours";
    const { calls, read } = this.#identity;
    const outcomes = await upstream.ask(calls, {
      isInteractive: true,
      signal: this.#closed.signal,
      timeoutMs: Math.min(this.#timeoutMs, Math.max(this.#firstTimeoutMs, IDENTITY_TIMEOUT_MS)),
      patienceMs: this.#firstTimeoutMs,
      onLate: () => upstream.standing.pace.tellWaiting(),
    });
    const results = outcomes.flatMap((outcome) => ("result" in outcome ? [outcome.result] : []));
    const found = results.length === calls.length ? read(results) : undefined;
    if (found === undefined) {
      // it did not answer, so ask again next time
      this.#identified.delete(upstream);
      return "unknown";
    }
    this.#expected ??= found;
    const networkMismatch = found === this.#expected ? undefined : `it is of ${found}, not of ${this.#expected}`;
    if (networkMismatch !== undefined && networkMismatch !== upstream.standing.networkMismatch) {
      this.#log.error({ upstream: upstream.name, found, expected: this.#expected }, "Ignored an upstream of another chain");
    }
    if (networkMismatch === undefined && upstream.standing.networkMismatch !== undefined) this.#wake();
    upstream.identify(networkMismatch);
    if (networkMismatch === undefined) return "ours";
    this.#identified.delete(upstream);
    return "other";
  }

  #wake(): void {
    this.#news.abort();
    this.#news = new AbortController();
    setMaxListeners(0, this.#news.signal);
  }

  #tell(upstream: Upstream, failuresBefore: number, asking: Asking): void {
    if (upstream.standing.failures === 0) this.#hasAnswered.add(upstream);
    if (this.#isStartReported && this.#upstreams.length === 1 && !this.#hasAnswered.has(upstream)) return;
    if (upstream.standing.failures > failuresBefore && !this.#down.has(upstream)) {
      this.#down.add(upstream);
      this.#log.warn({ upstream: upstream.name, reason: asking.problem?.message }, "Upstream returned no valid answer");
    } else if (upstream.standing.failures === 0 && this.#down.delete(upstream)) {
      this.#wake();
      this.#log.info({ upstream: upstream.name }, "Upstream answers again");
    }
  }
}

function waitMs(attempt: number, firstMs: number, longestMs: number): number {
  const longest = Math.min(longestMs, firstMs * 2 ** attempt);
  return longest * (0.5 + Math.random() / 2);
}
