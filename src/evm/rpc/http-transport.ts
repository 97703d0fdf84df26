/** JSON-RPC over HTTP(S): connections are kept, answers are bounded in size and time, redirects are not followed. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { EvmRpcError } from "./evm-rpc-error.ts";
import { failureOfStatus } from "./failure-of.ts";
import { isJsonRpcError, type Message } from "./json-rpc-message.ts";
import type { ExchangeLimits, Transport } from "./transport.ts";

interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** milliseconds, as the server asks */
  readonly retryAfterMs: number | undefined;
}

export class HttpTransport implements Transport {
  readonly #url: URL;
  readonly #agent: HttpAgent;
  readonly #isSecure: boolean;

  constructor(url: URL) {
    this.#url = url;
    this.#isSecure = url.protocol === "https:";
    this.#agent = this.#isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  async exchange(message: Message, limits: ExchangeLimits): Promise<unknown> {
    const { status, body, retryAfterMs } = await this.#post(message.body, limits);
    const answer = parseJson(body);
    // some nodes answer errors of JSON-RPC with another status
    if (status === 200 || (status !== 429 && isJsonRpcError(answer))) {
      if (answer === undefined) throw new EvmRpcError("malformed", `the node's answer is no JSON: ${body.slice(0, 80)}`);
      return answer;
    }
    throw new EvmRpcError(failureOfStatus(status), `the node answers with HTTP status ${status}`, { facts: { status, retryAfterMs } });
  }

  close(): void {
    this.#agent.destroy();
  }

  #post(body: string, { timeoutMs, maxAnswerBytes, signal }: ExchangeLimits): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) => {
        sent.destroy();
        reject(cause instanceof EvmRpcError ? cause : errorOf(cause, signal));
      };
      const timer = setTimeout(() => fail(new EvmRpcError("timeout", `the node did not answer within ${timeoutMs / 1000} s`)), timeoutMs);
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        // not worth its time on one machine
        ...(this.#isSecure ? { "accept-encoding": "gzip" } : {}),
      };
      const send = this.#isSecure ? httpsRequest : httpRequest;
      const options = { agent: this.#agent, method: "POST", headers, ...(signal === undefined ? {} : { signal }) };
      const sent = send(this.#url, options, (reply) => {
        readBody(reply, maxAnswerBytes).then((text) => {
          resolve({ status: reply.statusCode ?? 0, body: text, retryAfterMs: retryAfter(reply) });
        }, fail);
      });
      sent.on("error", fail);
      sent.on("close", () => clearTimeout(timer));
      sent.end(body);
    });
  }
}

async function readBody(reply: IncomingMessage, maxBytes: number): Promise<string> {
  // its errors come out of the stream that is read
  const stream = reply.headers["content-encoding"] === "gzip" ? pipeline(reply, createGunzip(), () => {}) : reply;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += (chunk as Buffer).length;
    if (length > maxBytes) throw new EvmRpcError("too-large", `the node's answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  if (!reply.complete) throw new EvmRpcError("unavailable", "the connection to the node ended within its answer");
  return Buffer.concat(chunks, length).toString("utf8");
}

function retryAfter(reply: IncomingMessage): number | undefined {
  const seconds = Number(reply.headers["retry-after"]);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function errorOf(cause: Error, signal: AbortSignal | undefined): EvmRpcError {
  if (signal?.aborted) return new EvmRpcError("aborted", "the caller gave up", { cause });
  return new EvmRpcError("unavailable", `the node cannot be reached: ${cause.message}`, { cause });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
