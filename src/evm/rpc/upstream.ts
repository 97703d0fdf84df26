/** One URL: what it bears (messages at once, calls in a message), what it lacks, and how well it answers. */
import { AdaptiveLimit } from "./adaptive-limit.ts";
import type { RpcCall, RpcOutcome } from "./evm-rpc.ts";
import { EvmRpcError } from "./evm-rpc-error.ts";
import { HttpTransport } from "./http-transport.ts";
import { decodeReplies, encodeMessage } from "./json-rpc-message.ts";
import type { ExchangeLimits, Transport } from "./transport.ts";
import { WebSocketTransport } from "./web-socket-transport.ts";

export interface UpstreamLimits {
  readonly maxConcurrency: number;
  readonly maxBatch: number;
  readonly maxAnswerBytes: number;
  readonly timeoutMs: number;
}

export interface AskOptions {
  readonly isInteractive: boolean;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

const FIRST_REST_MS = 250;
const LONGEST_REST_MS = 30_000;
/** a node that asks for more rest than this is left to others, if there are any */
const LONGEST_PAUSE_MS = 10_000;
/** good messages until a larger batch is tried */
const MESSAGES_TO_GROW = 50;

export class Upstream {
  /** without what may be secret */
  readonly name: string;
  readonly #transport: Transport;
  readonly #limits: UpstreamLimits;
  readonly #limit: AdaptiveLimit;
  /** methods that it does not have */
  readonly #missing = new Set<string>();
  #batch: number;
  #goodMessages = 0;
  #nextId = 1;
  /** messages in a row without a usable answer */
  #failures = 0;
  #restsUntil = 0;

  constructor(url: string, limits: UpstreamLimits) {
    const parsed = new URL(url);
    this.name = `${parsed.protocol}//${parsed.host}`;
    this.#limits = limits;
    this.#batch = limits.maxBatch;
    this.#limit = new AdaptiveLimit(limits.maxConcurrency);
    this.#transport = parsed.protocol.startsWith("ws") ? new WebSocketTransport(parsed, limits.maxAnswerBytes) : new HttpTransport(parsed);
  }

  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds until it should be asked again; 0 or less: at once. */
  get restMs(): number {
    return this.#restsUntil - Date.now();
  }

  /** How many messages and calls at once it bears at present. */
  get capacity(): { readonly concurrency: number; readonly batch: number } {
    return { concurrency: this.#limit.limit, batch: this.#batch };
  }

  lacks(method: string): boolean {
    return this.#missing.has(method);
  }

  /** Its answer cannot be, or it gave none: it comes after others, and rests longer each time. */
  fail(): void {
    this.#failures++;
    const rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (this.#failures - 1));
    this.#restsUntil = Date.now() + rest;
  }

  subscribe(onHead: () => void, signal: AbortSignal): boolean {
    if (!(this.#transport instanceof WebSocketTransport)) return false;
    this.#transport.subscribe(onHead, signal);
    return true;
  }

  close(): void {
    this.#transport.close();
  }

  /** Outcomes in order; never rejects. */
  ask(calls: readonly RpcCall[], options: AskOptions): Promise<RpcOutcome[]> {
    return this.#askInMessages(calls, this.#batch, options);
  }

  async #askOnce(calls: readonly RpcCall[], options: AskOptions): Promise<RpcOutcome[]> {
    try {
      return await this.#limit.run(options.isInteractive, () => this.#exchange(calls, options), isCongestion);
    } catch (error) {
      if (!(error instanceof EvmRpcError)) throw error;
      this.#learn(error, calls.length);
      if (calls.length > 1 && (error.failure === "too-large" || error.failure === "no-batch")) {
        return this.#askInMessages(calls, Math.min(this.#batch, Math.ceil(calls.length / 2)), options);
      }
      return calls.map(() => ({ error }));
    }
  }

  async #askInMessages(calls: readonly RpcCall[], size: number, options: AskOptions): Promise<RpcOutcome[]> {
    const messages = Array.from({ length: Math.ceil(calls.length / size) }, (_, i) => calls.slice(i * size, (i + 1) * size));
    return (await Promise.all(messages.map((message) => this.#askOnce(message, options)))).flat();
  }

  /** Rejects if the message as a whole failed, or if the node says of some of its calls that it is too much. */
  async #exchange(calls: readonly RpcCall[], { signal, timeoutMs }: AskOptions): Promise<RpcOutcome[]> {
    if (signal?.aborted) throw new EvmRpcError("aborted", "the caller gave up");
    const message = encodeMessage(calls, this.#nextId);
    this.#nextId += calls.length;
    const limits: ExchangeLimits = { timeoutMs, maxAnswerBytes: this.#limits.maxAnswerBytes, signal };
    const outcomes = decodeReplies(message, await this.#transport.exchange(message, limits));
    const errors = outcomes.map((outcome) => ("error" in outcome ? (outcome.error as EvmRpcError) : undefined));
    for (const [index, error] of errors.entries()) if (error?.failure === "unsupported") this.#missing.add(calls[index]!.method);
    const tooMuch = errors.find(
      (error) =>
        error !== undefined &&
        (isCongestion(error) || (calls.length > 1 && (error.failure === "too-large" || error.failure === "no-batch"))),
    );
    if (tooMuch !== undefined) throw tooMuch;
    if (errors.every((error) => error !== undefined && isUseless(error))) throw errors[0];
    this.#failures = 0;
    this.#restsUntil = 0;
    this.#grow();
    return outcomes;
  }

  #learn(error: EvmRpcError, calls: number): void {
    if (error.failure === "no-batch") {
      this.#batch = 1;
      this.#goodMessages = Number.NEGATIVE_INFINITY;
    } else if (error.failure === "too-large" || error.failure === "timeout") {
      this.#batch = Math.max(1, Math.min(this.#batch, calls) >> 1);
      this.#goodMessages = 0;
    }
    if (error.failure === "rate-limited") this.#limit.pause(Math.min(LONGEST_PAUSE_MS, Number(error.facts.retryAfterMs ?? FIRST_REST_MS)));
    if (isUseless(error) || error.failure === "timeout") this.fail();
  }

  #grow(): void {
    if (this.#batch >= this.#limits.maxBatch || ++this.#goodMessages < MESSAGES_TO_GROW) return;
    this.#goodMessages = 0;
    this.#batch = Math.min(this.#limits.maxBatch, this.#batch * 2);
  }
}

function isCongestion(error: unknown): boolean {
  return error instanceof EvmRpcError && (error.failure === "rate-limited" || error.failure === "timeout");
}

function isUseless(error: EvmRpcError): boolean {
  return error.failure === "unavailable" || error.failure === "malformed";
}
