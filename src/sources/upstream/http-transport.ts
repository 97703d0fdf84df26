/** JSON-RPC over HTTP(S). Connections are reused, answers are bounded in size and time, and redirects are not followed. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { AnswerBody } from "./answer-body.ts";
import type { AnswerShare } from "./answer-memory.ts";
import { callOf, failureOfReading, isJsonRpcError, nameOf } from "./json-rpc-message.ts";
import type { ArrivedAnswer, ExchangeLimits, Message, Transport } from "./transport.ts";
import { failureOfStatus, UpstreamError } from "./upstream-error.ts";

/** The deadline of an answer: a fixed time, plus one second for each MiB received. Time that this process itself waits does not count. */
const BYTES_PER_SECOND = 2 ** 20;

class Deadline {
  readonly #startedAt = performance.now();
  #allowedMs: number;
  #waitingSince: number | undefined;
  #timer: NodeJS.Timeout;
  readonly #onOver: () => void;

  constructor(timeoutMs: number, onOver: () => void) {
    this.#allowedMs = timeoutMs;
    this.#onOver = onOver;
    this.#timer = setTimeout(() => this.#look(), timeoutMs);
  }

  /** Extends the deadline after receiving more of the answer. */
  received(bytes: number): void {
    this.#allowedMs += (1000 * bytes) / BYTES_PER_SECOND;
  }

  /** Stops the clock while this process keeps the node waiting. */
  async during(waiting: Promise<void>): Promise<void> {
    this.#waitingSince = performance.now();
    await waiting;
    this.#allowedMs += performance.now() - this.#waitingSince;
    this.#waitingSince = undefined;
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    const leftMs = this.#allowedMs + (this.#waitingSince === undefined ? 0 : now - this.#waitingSince) - (now - this.#startedAt);
    if (leftMs <= 0) this.#onOver();
    else this.#timer = setTimeout(() => this.#look(), Math.max(leftMs, 10));
  }
}

/** handing a shorter answer to another thread takes as long as reading it */
const SHARED_FROM = 16 * 2 ** 10;
/** most bytes of a response that is not an answer, such as an error page */
const PAGE_BYTES = 2 ** 20;

export class HttpTransport implements Transport {
  readonly #url: URL;
  readonly #agent: HttpAgent;
  readonly #isSecure: boolean;

  constructor(url: URL) {
    this.#url = url;
    this.#isSecure = url.protocol === "https:";
    this.#agent = this.#isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  async exchange(message: Message, limits: ExchangeLimits): Promise<ArrivedAnswer> {
    const share = limits.memory.open();
    try {
      const reply = await this.#post(message, limits, share);
      return { shared: () => sharedText(reply), read: () => answerOf(reply), release: () => share.release() };
    } catch (error) {
      share.release();
      throw error;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #urlOf({ path }: Message): URL {
    if (path === "") return this.#url;
    const below = new URL(this.#url);
    below.pathname = below.pathname.replace(/\/$/, "") + path;
    return below;
  }

  #post(message: Message, { timeoutMs, maxAnswerBytes, signal }: ExchangeLimits, share: AnswerShare): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) => {
        sent.destroy();
        // end a read that waits for memory
        share.release();
        reject(cause instanceof UpstreamError ? cause : errorOf(cause, signal));
      };
      const deadline = new Deadline(timeoutMs, () =>
        fail(new UpstreamError("timeout", `the node did not answer within ${timeoutMs / 1000} s`)),
      );
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(message.body),
        // not worth the time for plain HTTP, which is mostly local
        ...(this.#isSecure ? { "accept-encoding": "gzip" } : {}),
      };
      const send = this.#isSecure ? httpsRequest : httpRequest;
      const options = { agent: this.#agent, method: "POST", headers, ...(signal === undefined ? {} : { signal }) };
      const sent = send(this.#urlOf(message), options, (reply) => {
        const body = new AnswerBody(share, (id) => callOf(message, id));
        const maxBytes = reply.statusCode === 200 ? maxAnswerBytes : Math.min(PAGE_BYTES, maxAnswerBytes);
        readBody(reply, body, maxBytes, deadline).then(() => resolve({ message, reply, body }), fail);
      });
      sent.on("error", fail);
      sent.on("close", () => deadline.clear());
      sent.end(message.body);
    });
  }
}

interface HttpReply {
  readonly message: Message;
  readonly reply: IncomingMessage;
  readonly body: AnswerBody;
}

function sharedText({ reply, body }: HttpReply): Uint8Array | undefined {
  return reply.statusCode === 200 && body.bytes >= SHARED_FROM ? body.shared() : undefined;
}

function answerOf({ message, reply, body }: HttpReply): unknown {
  const status = reply.statusCode ?? 0;
  let answer: unknown;
  let problem: Error | undefined;
  try {
    answer = body.end();
  } catch (error) {
    problem = error as Error;
  }
  // some nodes send JSON-RPC errors with another status
  if (status !== 200 && (status === 429 || !isJsonRpcError(answer))) {
    const facts = { status, retryAfterMs: retryAfter(reply) };
    // an API that the node does not have
    const failure = status === 404 && message.path !== "" ? "unsupported" : failureOfStatus(status);
    throw new UpstreamError(failure, `the node answers with HTTP status ${status}`, { facts });
  }
  if (problem instanceof SyntaxError) throw new UpstreamError("malformed", `the node's answer is not JSON: ${body.beginning}`);
  if (problem !== undefined) throw failureOfReading(problem, nameOf(message));
  return answer;
}

async function readBody(reply: IncomingMessage, body: AnswerBody, maxBytes: number, deadline: Deadline): Promise<void> {
  // its errors are thrown by the loop below
  const stream = reply.headers["content-encoding"] === "gzip" ? pipeline(reply, createGunzip(), () => {}) : reply;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (body.bytes + chunk.length > maxBytes) throw new UpstreamError("too-large", `the node's answer is longer than ${maxBytes} bytes`);
    deadline.received(chunk.length);
    const isFull = writeTo(body, chunk);
    if (isFull !== undefined) await deadline.during(isFull.catch(failReading));
  }
  await body.turnToEnd();
  if (!reply.complete) throw new UpstreamError("unavailable", "the connection to the node ended before its answer did");
}

function writeTo(body: AnswerBody, chunk: Buffer): Promise<void> | undefined {
  try {
    return body.write(chunk);
  } catch (error) {
    return failReading(error as Error);
  }
}

function failReading(error: Error): never {
  throw failureOfReading(error, "a call");
}

function retryAfter(reply: IncomingMessage): number | undefined {
  const seconds = Number(reply.headers["retry-after"]);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function errorOf(cause: Error, signal: AbortSignal | undefined): UpstreamError {
  if (signal?.aborted) return new UpstreamError("aborted", "the caller gave up", { cause });
  return new UpstreamError("unavailable", `the node cannot be reached: ${cause.message}`, { cause });
}
