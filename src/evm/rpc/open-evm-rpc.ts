/** The RPC of one EVM chain over all URLs that the operator gave: failover, retries, batches, and as much at once as upstreams bear. */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { FirnError } from "../../primitives/errors.ts";
import type { OpenEvmRpc, RequestOptions, RpcCall, RpcOutcome } from "./evm-rpc.ts";
import { EvmRpcError } from "./evm-rpc-error.ts";
import { type AskOptions, Upstream } from "./upstream.ts";

export interface EvmRpcSettings {
  /** `http(s)://` and `ws(s)://`, best first; all of the same chain */
  readonly urls: readonly string[];
  readonly log: Logger;
  /** messages under way at once per upstream, at most; default 32 */
  readonly maxConcurrency?: number;
  /** calls in one message, at most; default 100 */
  readonly maxBatch?: number;
  /** of one message's answer; default 256 MiB */
  readonly maxAnswerBytes?: number;
  /** until an answer has come whole; default 30,000 */
  readonly timeoutMs?: number;
}

const MAX_CONCURRENCY = 32;
const MAX_BATCH = 100;
const MAX_ANSWER_BYTES = 256 * 2 ** 20;
const TIMEOUT_MS = 30_000;
const INTERACTIVE_TIMEOUT_MS = 5_000;
/** rounds over the upstreams until the caller is told */
const ATTEMPTS = 6;
const INTERACTIVE_ATTEMPTS = 3;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

export function openEvmRpc(settings: EvmRpcSettings): OpenEvmRpc {
  if (settings.urls.length === 0) throw new FirnError("evm-rpc-urls", "a chain has no RPC URL; give at least one");
  return new Failover(settings);
}

/** Nobody knows of an upstream that does not answer. */
type Chain = "ours" | "other" | "unknown";

class Failover implements OpenEvmRpc {
  readonly #upstreams: readonly Upstream[];
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #closed = new AbortController();
  /** whom a log line called down */
  readonly #down = new Set<Upstream>();
  /** that upstreams were found to be of */
  readonly #chains = new Map<Upstream, Promise<Chain>>();
  #chainId: bigint | undefined;

  constructor({ urls, log, maxConcurrency, maxBatch, maxAnswerBytes, timeoutMs = TIMEOUT_MS }: EvmRpcSettings) {
    const limits = {
      maxConcurrency: maxConcurrency ?? MAX_CONCURRENCY,
      maxBatch: maxBatch ?? MAX_BATCH,
      maxAnswerBytes: maxAnswerBytes ?? MAX_ANSWER_BYTES,
      timeoutMs,
    };
    this.#upstreams = urls.map((url) => new Upstream(url, limits));
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    // each call that waits for its next attempt listens to it
    setMaxListeners(0, this.#closed.signal);
  }

  async request(method: string, params: readonly unknown[], options?: RequestOptions): Promise<unknown> {
    const [outcome] = await this.requestAll([{ method, params }], options);
    if ("error" in outcome!) throw outcome.error;
    return outcome!.result;
  }

  async requestAll(calls: readonly RpcCall[], options: RequestOptions = {}): Promise<readonly RpcOutcome[]> {
    if (calls.length === 0) return [];
    const { accept, signal, isInteractive = false } = options;
    const attempts = isInteractive ? INTERACTIVE_ATTEMPTS : ATTEMPTS;
    const timeoutMs = isInteractive ? Math.min(INTERACTIVE_TIMEOUT_MS, this.#timeoutMs) : this.#timeoutMs;
    // each message under way listens to it
    if (signal !== undefined) setMaxListeners(0, signal);
    const asking = new Asking(calls, accept);
    for (let attempt = 0; ; attempt++) {
      asking.startRound();
      await this.#askAll(asking, { isInteractive, signal, timeoutMs });
      const hasEnded = attempt + 1 >= attempts || signal?.aborted || this.#closed.signal.aborted;
      if (hasEnded || asking.isDone || asking.isRefused) return asking.outcomes;
      const wakers = signal === undefined ? this.#closed.signal : AbortSignal.any([signal, this.#closed.signal]);
      await sleep(waitMs(attempt), undefined, { signal: wakers }).catch(() => {});
    }
  }

  subscribeHeads(onHead: () => void, signal: AbortSignal): boolean {
    return this.#upstreams.map((upstream) => upstream.subscribe(onHead, signal)).includes(true);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    for (const upstream of this.#upstreams) upstream.close();
  }

  /** One round: the best upstream first, and others for what it did not answer. */
  async #askAll(asking: Asking, options: AskOptions): Promise<void> {
    for (const upstream of this.#ranked()) {
      if (asking.isDone || options.signal?.aborted) return;
      const calls = asking.callsFor(upstream);
      if (calls.length === 0) continue;
      const chain = await this.#chainOf(upstream, options);
      if (chain === "unknown") asking.miss(upstream);
      if (chain !== "ours") continue;
      const failures = upstream.failures;
      const outcomes = await upstream.ask(
        calls.map((index) => asking.calls[index]!),
        options,
      );
      if (!asking.take(calls, outcomes)) upstream.fail();
      this.#tell(upstream, failures, asking);
    }
  }

  /** Those that rest come last; they are asked only if nobody else answers. */
  #ranked(): Upstream[] {
    const ranked = this.#upstreams.map((upstream) => ({ upstream, restMs: Math.max(0, upstream.restMs) }));
    return ranked.sort((a, b) => a.restMs - b.restMs).map(({ upstream }) => upstream);
  }

  /** An upstream of another chain is never asked for anything else. The first that answers says which chain it is. */
  #chainOf(upstream: Upstream, options: AskOptions): Promise<Chain> {
    let known = this.#chains.get(upstream);
    if (known === undefined) {
      known = this.#askChain(upstream, options);
      this.#chains.set(upstream, known);
    }
    return known;
  }

  async #askChain(upstream: Upstream, options: AskOptions): Promise<Chain> {
    // one URL cannot contradict another
    if (this.#upstreams.length === 1) return "ours";
    const [outcome] = await upstream.ask([{ method: "eth_chainId", params: [] }], options);
    const chainId =
      "result" in outcome! && typeof outcome.result === "string" && /^0x[0-9a-f]{1,16}$/i.test(outcome.result)
        ? BigInt(outcome.result)
        : undefined;
    if (chainId === undefined) {
      // it gave no answer: asked again the next time
      this.#chains.delete(upstream);
      return "unknown";
    }
    this.#chainId ??= chainId;
    if (chainId === this.#chainId) return "ours";
    this.#log.error(
      { upstream: upstream.name, chainId: `${chainId}`, expected: `${this.#chainId}` },
      "Ignored an upstream of another chain",
    );
    return "other";
  }

  #tell(upstream: Upstream, failuresBefore: number, asking: Asking): void {
    if (upstream.failures > failuresBefore && !this.#down.has(upstream)) {
      this.#down.add(upstream);
      this.#log.warn({ upstream: upstream.name, reason: asking.problem?.message }, "Upstream gave no usable answer");
    } else if (upstream.failures === 0 && this.#down.delete(upstream)) {
      this.#log.info({ upstream: upstream.name }, "Upstream answers again");
    }
  }
}

/** Calls on their way to answers. */
class Asking {
  readonly calls: readonly RpcCall[];
  readonly #accept: RequestOptions["accept"];
  readonly #outcomes: (RpcOutcome | undefined)[];
  /** final refusals so far: somebody else may still have an answer */
  readonly #refusals: (EvmRpcError | undefined)[];
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

  get isDone(): boolean {
    return this.#outcomes.every((outcome) => outcome !== undefined);
  }

  /** All that is not answered was refused by whoever was asked, and nobody was out of reach: asking again changes nothing. */
  get isRefused(): boolean {
    return (
      this.#problem === undefined && this.#outcomes.every((outcome, index) => outcome !== undefined || this.#refusals[index] !== undefined)
    );
  }

  /** The upstream could not be asked. */
  miss({ name }: Upstream): void {
    this.#problem ??= new EvmRpcError("unavailable", `${name} does not answer`);
  }

  startRound(): void {
    this.#problem = undefined;
    this.#refusals.fill(undefined);
  }

  get outcomes(): RpcOutcome[] {
    // a refusal is the last word only if everybody was asked: who is out of reach may know better
    const error = new EvmRpcError("unavailable", "no upstream answers");
    return this.#outcomes.map((outcome, index) => outcome ?? { error: this.#problem ?? this.#refusals[index] ?? error });
  }

  /** What is not answered yet and what the upstream may know, by index. */
  callsFor(upstream: Upstream): number[] {
    return this.calls.flatMap(({ method }, index) => {
      if (this.#outcomes[index] !== undefined) return [];
      if (!upstream.lacks(method)) return [index];
      this.#refusals[index] ??= new EvmRpcError("unsupported", `${upstream.name} has no ${method}`);
      return [];
    });
  }

  /** False: the answers were not accepted. */
  take(indexes: readonly number[], outcomes: readonly RpcOutcome[]): boolean {
    for (const [i, index] of indexes.entries()) {
      const outcome = outcomes[i]!;
      const error = "error" in outcome ? (outcome.error as EvmRpcError) : undefined;
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

function waitMs(attempt: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return longest * (0.5 + Math.random() / 2);
}
