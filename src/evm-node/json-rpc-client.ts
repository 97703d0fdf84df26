/** JSON-RPC with a server on this machine: one connection is used again and again. */
import { Agent, request } from "node:http";
import { EvmDownError, EvmRequestError } from "./evm-error.ts";

const LOOPBACK = "127.0.0.1";

interface Call {
  readonly method: string;
  readonly params: unknown;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export class JsonRpcClient {
  readonly port: number;
  readonly #agent = new Agent({ keepAlive: true });
  #nextId = 1;

  constructor(port: number) {
    this.port = port;
  }

  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return this.request(method, params);
  }

  async request(method: string, params: unknown): Promise<unknown> {
    const body = await this.send(JSON.stringify({ jsonrpc: "2.0", id: this.#nextId++, method, params }));
    const { result, error } = JSON.parse(body) as Reply;
    if (error !== undefined) throw new EvmRequestError(method, error);
    return result;
  }

  /** Several calls in one message; the results in their order. Rejects with the first one's error. */
  async callAll(calls: readonly Call[]): Promise<unknown[]> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const body = await this.send(JSON.stringify(calls.map((call, index) => ({ jsonrpc: "2.0", id: firstId + index, ...call }))));
    const replies = new Map((JSON.parse(body) as Reply[]).map((reply) => [reply.id, reply]));
    return calls.map(({ method }, index) => {
      const reply = replies.get(firstId + index);
      if (reply === undefined) throw new EvmDownError(`the C-chain's EVM left ${method} unanswered`);
      if (reply.error !== undefined) throw new EvmRequestError(method, reply.error);
      return reply.result;
    });
  }

  /** Sends a body as it is and returns the reply's. */
  send(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) => reject(new EvmDownError("the C-chain's EVM does not answer", { cause }));
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sent = request({ agent: this.#agent, host: LOOPBACK, port: this.port, method: "POST", headers }, (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
        reply.on("error", fail);
      });
      sent.on("error", fail);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
