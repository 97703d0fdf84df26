/** A JSON-RPC client for a server on this machine. It reuses connections, and limits the size and time of every answer. */
import { Agent, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { EvmBusyError, EvmDownError, EvmRequestError, RESPONSE_TOO_LARGE, type RpcError } from "./evm-error.ts";

/** Limit for Firn's own calls; a working child answers each of them sooner. */
const LONGEST_CALL_MS = 120_000;
/** Limit for Firn's own calls, such as a dump of the state or a block's traces. A JavaScript string could not hold twice as much. */
const MOST_ANSWER_BYTES = 256 << 20;

export interface SendLimits {
  /** milliseconds until the answer must be complete */
  readonly timeoutMs: number;
  /** most bytes of the answer */
  readonly maxBytes: number;
}

interface Call {
  readonly method: string;
  readonly params: unknown;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: RpcError;
}

export class JsonRpcClient {
  readonly url: URL;
  /** the chain whose EVM it asks: "the C-chain" */
  readonly name: string;
  readonly #agent = new Agent({ keepAlive: true });
  #nextId = 1;

  constructor(url: URL, name: string) {
    this.url = url;
    this.name = name;
  }

  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return this.request(method, params);
  }

  async request(method: string, params: unknown, limits?: SendLimits): Promise<unknown> {
    const { result, error } = (await this.#ask({ jsonrpc: "2.0", id: this.#nextId++, method, params }, limits)) as Reply;
    if (error !== undefined) throw new EvmRequestError(method, error);
    return result;
  }

  /** Sends several calls in one message and returns the results in their order. Rejects with the first error. */
  async callAll(calls: readonly Call[], limits?: SendLimits): Promise<unknown[]> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const answers = (await this.#ask(
      calls.map((call, index) => ({ jsonrpc: "2.0", id: firstId + index, ...call })),
      limits,
    )) as Reply[];
    const replies = new Map(answers.map((reply) => [reply.id, reply]));
    return calls.map(({ method }, index) => {
      const reply = replies.get(firstId + index);
      if (reply === undefined) throw new EvmDownError(`${this.name}'s EVM left ${method} unanswered`);
      if (reply.error !== undefined) throw new EvmRequestError(method, reply.error);
      return reply.result;
    });
  }

  /**
   * Sends a body unchanged and returns the answer's body. Rejects with an EvmDownError if there is none, with an EvmBusyError if it takes
   * too long, and with an EvmRequestError if it is too large.
   */
  send(body: string, { timeoutMs, maxBytes }: SendLimits = { timeoutMs: LONGEST_CALL_MS, maxBytes: MOST_ANSWER_BYTES }): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sent = request(this.url, { agent: this.#agent, method: "POST", headers });
      const end = (settle: () => void) => {
        clearTimeout(timer);
        settle();
        // if the answer arrived before the request was fully sent, nobody reads the rest of the request
        if (!sent.writableFinished) sent.destroy();
      };
      const fail = (error: Error) => {
        end(() => reject(error));
        sent.destroy();
      };
      const broken = (cause: Error) => fail(new EvmDownError(`${this.name}'s EVM does not answer`, { cause }));
      const timer = setTimeout(() => fail(new EvmBusyError(timeoutMs, this.name)), timeoutMs);
      sent.on("socket", listenForErrors);
      sent.on("error", broken);
      sent.on("response", (reply) =>
        readAnswer(reply, maxBytes).then(
          (answer) => end(() => resolve(answer)),
          (error: Error) => (error instanceof EvmRequestError ? fail(error) : broken(error)),
        ),
      );
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  async #ask(message: unknown, limits?: SendLimits): Promise<unknown> {
    return JSON.parse((await this.send(JSON.stringify(message), limits)).toString());
  }
}

function readAnswer(reply: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    reply.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) reject(new EvmRequestError("none", RESPONSE_TOO_LARGE));
      else chunks.push(chunk);
    });
    reply.on("end", () => resolve(Buffer.concat(chunks, bytes)));
    reply.on("error", reject);
  });
}

const listening = new WeakSet<Socket>();

/**
 * node:http removes its error listener when an answer was read, before it knows whether the last write of the request succeeded. If the
 * server has closed by then, the write fails (EPIPE) and the error would have no listener. Callers that wait are told of errors by the
 * request.
 */
function listenForErrors(socket: Socket): void {
  if (listening.has(socket)) return;
  listening.add(socket);
  socket.on("error", () => {});
}
