/** One upstream URL: how much it accepts (concurrent messages, calls in a message), and which methods it lacks. */

import { type AnswerBounds, type AnswerMemory, answerBytes, isScalar, MissingMethods } from "./answer-memory.ts";
import { HttpTransport } from "./http-transport.ts";
import { decodeAnswer, encodeMessage } from "./json-rpc-message.ts";
import { AdaptiveLimit, Standing } from "./standing.ts";
import type { Transport } from "./transport.ts";
import { ErrorTally, UpstreamError } from "./upstream-error.ts";
import type { Aside, MessageDecoder, RpcCall, RpcOutcome, UpstreamState } from "./upstream-rpc.ts";
import { WebSocketTransport } from "./web-socket-transport.ts";

interface UpstreamSettings {
  readonly maxConcurrency: number;
  readonly maxBatch: number;
  readonly bounds: AnswerBounds;
  readonly memory: AnswerMemory;
  /** when an answer is late; undefined: none ever is */
  readonly lateMs: number | undefined;
}

export interface AskOptions {
  readonly isInteractive: boolean;
  readonly signal: AbortSignal | undefined;
  /** until the whole answer has arrived */
  readonly timeoutMs: number;
  /** the same, if this upstream's answers do not usually take longer */
  readonly patienceMs: number;
  /** called when an answer takes longer than usual */
  readonly onLate: () => void;
  /** see RequestOptions */
  readonly decoder?: MessageDecoder | undefined;
}

/** if a node asks for a longer pause, others are asked instead, if there are any */
const LONGEST_PAUSE_MS = 10_000;
/** After an upstream did not answer for a while and does again, messages that it has not answered for this long are sent again. */
const LOST_MS = 1_000;
/** for which it is told that an answer was refused: whoever looks at the status should see it */
const TOLD_MS = 3_600_000;
/** for which it counts as slow after it refused calls as too many */
const SLOW_MS = 60_000;
/** number of good messages before a larger batch is tried */
const MESSAGES_TO_GROW = 50;

export class Upstream {
  readonly name: string;
  readonly #transport: Transport;
  readonly #limits: UpstreamSettings;
  readonly #limit: AdaptiveLimit;
  readonly #missing = new MissingMethods();
  #batch: number;
  #goodMessages = 0;
  /** batches in a row that were too many requests */
  #limitedBatches = 0;
  /** when it last said so of anything, by `performance.now()` */
  #limitedAt = Number.NEGATIVE_INFINITY;
  /** the last answer that could not be */
  #refusedAnswer: { readonly problem: string; readonly at: number } | undefined;
  readonly standing: Standing;
  #nextId = 1;
  /** messages under way */
  readonly #sent = new Set<{ readonly at: number; abandon(): void }>();
  readonly #errors = new ErrorTally();

  /** @param name see `upstreamNames` */
  constructor(url: string, name: string, limits: UpstreamSettings) {
    const parsed = new URL(url);
    this.name = name;
    this.#limits = limits;
    this.#batch = limits.maxBatch;
    this.#limit = new AdaptiveLimit(limits.maxConcurrency);
    this.standing = new Standing(this.#limit, limits.lateMs);
    this.#transport = parsed.protocol.startsWith("ws") ? new WebSocketTransport(parsed) : new HttpTransport(parsed);
  }

  /** The number of concurrent messages, and of calls in a message, that it accepts at present. */
  get capacity(): { readonly concurrency: number; readonly batch: number } {
    return { concurrency: this.#limit.limit, batch: this.#batch };
  }

  lacks(call: RpcCall): boolean {
    return this.#missing.has(call);
  }

  /** Another upstream has answered what this one was asked before. */
  superseded(): void {
    if (!this.standing.pace.isSilent) return;
    this.#errors.add("timeout");
    this.standing.fail(new UpstreamError("timeout", "the node did not answer, while another one did"));
  }

  /** Notes answers that cannot be, as the caller found. */
  contradictItself(reason: Error): void {
    this.#errors.add("malformed");
    this.#refusedAnswer = { problem: reason.message, at: performance.now() };
    this.standing.fail(reason);
  }

  /** See `Standing.identify`. */
  identify(networkMismatch: string | undefined): void {
    if (networkMismatch !== undefined) this.#errors.add("other_network");
    this.standing.identify(networkMismatch);
  }

  refuse(reason: string, aside: Aside): void {
    this.#errors.add("contradiction");
    this.standing.refuse(reason, aside);
  }

  get state(): UpstreamState {
    const { failures, refusal, restMs, reason } = this.standing;
    const known = { name: this.name, failures, errors: this.#errors.counts };
    if (refusal !== undefined) return { ...known, state: "refused", reason: refusal };
    return restMs > 0 ? { ...known, state: "resting", reason } : { ...known, state: "used", reason: this.#oddity };
  }

  /** A reason to look at it, though it answers. */
  get #oddity(): string | undefined {
    const refused = this.#refusedAnswer;
    if (refused !== undefined && performance.now() < refused.at + TOLD_MS) return `one of its answers was refused: ${refused.problem}`;
    const facts = [
      ...(this.#batch === 1 && this.#limits.maxBatch > 1 ? ["takes one call in a message"] : []),
      ...(performance.now() < this.#limitedAt + SLOW_MS ? ["refuses some calls as too many"] : []),
    ];
    return facts.length === 0 ? undefined : `it ${facts.join(" and ")}`;
  }

  subscribe(onHead: () => void, signal: AbortSignal): boolean {
    if (!(this.#transport instanceof WebSocketTransport)) return false;
    this.#transport.subscribe(onHead, signal);
    return true;
  }

  close(): void {
    this.#transport.close();
  }

  /** Returns outcomes in order; never rejects. */
  ask(calls: readonly RpcCall[], options: AskOptions): Promise<RpcOutcome[]> {
    return this.#askInMessages(calls, this.#batch, options);
  }

  async #askOnce(calls: readonly RpcCall[], options: AskOptions): Promise<RpcOutcome[]> {
    try {
      const outcomes = await this.#run(calls, options);
      this.#errors.addMessage(outcomes.map((outcome) => ("error" in outcome ? outcome.error : undefined)));
      return await this.#askRefused(calls, outcomes, options);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      this.#errors.addMessage([error]);
      this.#learn(error, calls.length);
      if (calls.length > 1 && (isTooMuch(error) || (mayMeanBatch(error) && (await this.#isAnswered(calls[0]!, options))))) {
        const size = Math.min(this.#batch, Math.ceil(calls.length / 2));
        this.#shrink(size);
        return this.#askInMessages(calls, size, options);
      }
      return calls.map(() => ({ error }));
    }
  }

  #run(calls: readonly RpcCall[], options: AskOptions): Promise<RpcOutcome[]> {
    return this.#limit.run(options.isInteractive, () => this.#exchange(calls, options), isCongestion);
  }

  /** Whether it answers the call alone: then it was the batch that it refused. */
  async #isAnswered(call: RpcCall, options: AskOptions): Promise<boolean> {
    try {
      const [outcome] = await this.#run([call], options);
      return outcome !== undefined && "result" in outcome;
    } catch {
      return false;
    }
  }

  /** Entries that it refused because of the others are asked for again, in smaller messages. */
  async #askRefused(calls: readonly RpcCall[], outcomes: readonly RpcOutcome[], options: AskOptions): Promise<RpcOutcome[]> {
    const refused = outcomes.flatMap((outcome, i) => (calls.length > 1 && "error" in outcome && isTooMuch(outcome.error) ? [i] : []));
    if (refused.length === 0) return [...outcomes];
    const size = Math.min(this.#batch, Math.ceil(calls.length / 2));
    const again = await this.#askInMessages(
      refused.map((i) => calls[i]!),
      size,
      options,
    );
    const answered = new Map(refused.map((i, place) => [i, again[place]!]));
    return outcomes.map((outcome, i) => answered.get(i) ?? outcome);
  }

  async #askInMessages(calls: readonly RpcCall[], size: number, options: AskOptions): Promise<RpcOutcome[]> {
    // a message goes to one path
    const messages: RpcCall[][] = [];
    for (const call of calls) {
      const last = messages.at(-1);
      if (last !== undefined && last.length < size && last[0]!.path === call.path) last.push(call);
      else messages.push([call]);
    }
    return (await Promise.all(messages.map((message) => this.#askOnce(message, options)))).flat();
  }

  /** Sends it again if it was lost. */
  async #send(calls: readonly RpcCall[], options: AskOptions): Promise<RpcOutcome[]> {
    const { signal } = options;
    const timeoutMs = Math.min(options.timeoutMs, this.standing.pace.patienceMs(options.patienceMs));
    if (signal?.aborted) throw new UpstreamError("aborted", "the caller gave up");
    const message = encodeMessage(calls, this.#nextId);
    this.#nextId += calls.length;
    const { bounds, memory } = this.#limits;
    const ending = new AbortController();
    const end = () => ending.abort();
    let isLost = false;
    const abandon = () => {
      isLost = true;
      end();
    };
    const sent = { at: performance.now(), abandon };
    this.#sent.add(sent);
    signal?.addEventListener("abort", end);
    const stopWatching = this.standing.pace.watch(options.onLate);
    const forget = () => {
      stopWatching();
      this.#sent.delete(sent);
    };
    try {
      const limits = { timeoutMs, maxAnswerBytes: answerBytes(calls, bounds), memory, signal: ending.signal };
      const arrived = await this.#transport.exchange(message, limits);
      // the node is not to blame for how long others take to decode its answer
      const answeredMs = performance.now() - sent.at;
      forget();
      return await decodeAnswer(message, arrived, options.decoder, () => this.standing.pace.answered(answeredMs));
    } catch (error) {
      if (performance.now() - sent.at >= timeoutMs) this.standing.pace.gaveUp(timeoutMs);
      if (!isLost) throw nonsenseIfScalar(error, calls);
    } finally {
      forget();
      signal?.removeEventListener("abort", end);
    }
    return this.#send(calls, options);
  }

  /** Rejects if the whole message failed, or if the node says that some of its calls are too much. */
  async #exchange(calls: readonly RpcCall[], options: AskOptions): Promise<RpcOutcome[]> {
    const outcomes = await this.#send(calls, options);
    const errors = outcomes.map((outcome) => ("error" in outcome ? (outcome.error as UpstreamError) : undefined));
    for (const [index, call] of calls.entries()) this.#missing.learn(call, errors[index]?.failure !== "unsupported");
    const refusals = errors.filter((error) => error !== undefined && (isCongestion(error) || (calls.length > 1 && isTooMuch(error))));
    // what it did answer is kept
    if (refusals.length === calls.length) throw refusals[0];
    if (refusals.length > 0) this.#learnRefusals(refusals as UpstreamError[], calls.length);
    const [first] = errors;
    const isSame = errors.every((error) => error?.failure === "refused" && error.nodeText === first?.nodeText);
    if (errors.every((error) => error !== undefined && isUseless(error)) || (isSame && calls.length > 1 && calls.every(isNeverRefused)))
      throw first;
    if (this.standing.failures > 0) for (const { at, abandon } of [...this.#sent]) if (at < performance.now() - LOST_MS) abandon();
    this.standing.answered();
    if (refusals.length > 0) return outcomes;
    this.#limitedBatches = 0;
    this.#grow();
    return outcomes;
  }

  #learn(error: UpstreamError, calls: number): void {
    if (error.failure === "no-batch") {
      this.#batch = 1;
      this.#goodMessages = Number.NEGATIVE_INFINITY;
    } else if ((error.failure === "too-large" && calls > 1) || error.failure === "timeout") {
      this.#shrink(Math.min(this.#batch, calls) >> 1);
    }
    if (error.failure === "rate-limited") {
      this.#pause(error);
      // each of its calls may count
      if (calls > 1 && this.#limitedBatches++ > 0) this.#shrink(Math.min(this.#batch, calls) >> 2);
    }
    if (isUseless(error) || error.failure === "timeout") this.standing.fail(error);
  }

  /** It refused so many entries of a message, and answered the others. */
  #learnRefusals(refusals: readonly UpstreamError[], calls: number): void {
    const limited = refusals.find(({ failure }) => failure === "rate-limited");
    if (limited !== undefined) this.#pause(limited);
    this.#shrink(Math.min(this.#batch, calls - refusals.length));
  }

  #shrink(calls: number): void {
    this.#batch = Math.max(1, calls);
    this.#goodMessages = Math.min(0, this.#goodMessages);
  }

  #pause(error: UpstreamError): void {
    this.#limitedAt = performance.now();
    const { retryAfterMs } = error.facts;
    this.standing.pause(error, retryAfterMs === undefined ? undefined : Math.min(LONGEST_PAUSE_MS, Number(retryAfterMs)));
  }

  #grow(): void {
    if (this.#batch >= this.#limits.maxBatch || ++this.#goodMessages < MESSAGES_TO_GROW) return;
    this.#goodMessages = 0;
    this.#batch = Math.min(this.#limits.maxBatch, this.#batch * 2);
  }
}

/** Names of upstreams for people: their URLs without anything that may be secret, each with a number from its second one on. */
export function upstreamNames(urls: readonly string[]): string[] {
  const hosts = urls.map((url) => new URL(url)).map(({ protocol, host }) => `${protocol}//${host}`);
  return hosts.map((host, place) => {
    const before = hosts.slice(0, place).filter((other) => other === host).length;
    return before === 0 ? host : `${host} (${before + 1})`;
  });
}

/** Answers of such calls are always short, so smaller batches would not help. */
function nonsenseIfScalar(error: unknown, calls: readonly RpcCall[]): unknown {
  const isNonsense = error instanceof UpstreamError && error.failure === "too-large" && calls.every(isScalar);
  return isNonsense ? new UpstreamError("malformed", error.message, { cause: error }) : error;
}

function isCongestion(error: unknown): boolean {
  return error instanceof UpstreamError && (error.failure === "rate-limited" || error.failure === "timeout");
}

/** Asked for alone, it may be answered. */
function isTooMuch(error: Error): boolean {
  return error instanceof UpstreamError && (error.failure === "too-large" || error.failure === "no-batch");
}

/** Some nodes, and what stands before them, refuse batches in words that nobody knows. */
function mayMeanBatch({ failure, facts, nodeText }: UpstreamError): boolean {
  return (
    failure === "malformed" ||
    failure === "refused" ||
    (failure === "unavailable" && (facts.status !== undefined || nodeText !== undefined))
  );
}

/** No node refuses all of several such calls but for their number. */
function isNeverRefused({ method }: RpcCall): boolean {
  return /^(eth_getBlock|eth_getTransactionReceipt|debug_traceBlock|trace_block)/.test(method);
}

function isUseless(error: UpstreamError): boolean {
  return error.failure === "unavailable" || error.failure === "malformed";
}
