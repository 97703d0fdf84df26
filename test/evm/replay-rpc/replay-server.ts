/** Serves the methods of a replayed node over HTTP and WebSocket, and adds faults. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { delay } from "../../patience.ts";
import type { Fault } from "./faults.ts";
import { NodeError } from "./node-error.ts";
import type { Methods } from "./node-methods.ts";

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Answers of one message: a batch's in its order. */
interface Answered {
  readonly replies: readonly (readonly [id: unknown, reply: string])[];
  readonly isBatch: boolean;
}

const LATE_MS = 120;
const PIECES = 5;

export class ReplayServer {
  readonly counts = new Map<string, number>();
  nextFault: () => Fault | undefined = () => undefined;
  readonly #methods: Methods;
  readonly #takesBatches: boolean;
  readonly #http = createServer((request, response) => void this.#onRequest(request, response).catch(() => response.destroy()));
  readonly #ws = new WebSocketServer({ server: this.#http, maxPayload: 1 << 28 });
  readonly #sockets = new Set<Socket>();
  readonly #subscribers = new Map<WebSocket, string[]>();
  #subscriptions = 0;

  constructor(methods: Methods, { takesBatches }: { takesBatches: boolean }) {
    this.#methods = methods;
    this.#takesBatches = takesBatches;
    this.#http.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#ws.on("connection", (client) => {
      client.on("message", (data) => void this.#onMessage(client, String(data)));
      client.on("close", () => this.#subscribers.delete(client));
      client.on("error", () => client.terminate());
    });
  }

  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve) => this.#http.listen(port, "127.0.0.1", resolve));
    return (this.#http.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const client of this.#ws.clients) client.terminate();
    const closed = new Promise((resolve) => this.#http.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Tells every subscriber of `newHeads`. */
  announce(header: unknown): void {
    for (const [client, subscriptions] of this.#subscribers) {
      for (const subscription of subscriptions) {
        client.send(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription, result: header } }));
      }
    }
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fault = this.nextFault();
    if (fault === "late") await delay(LATE_MS);
    if (fault === "rateLimited") return void response.writeHead(429, { "retry-after": "0" }).end("Too Many Requests");
    if (fault === "serverError") return void response.writeHead(500, { "content-type": "text/html" }).end("<h1>Internal Server Error</h1>");
    const body = Buffer.from(bodyOf(await this.#answer(Buffer.concat(chunks).toString("utf8")), fault));
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    if (fault === "cutOff") return void response.write(body.subarray(0, body.length >> 1), () => response.destroy());
    if (fault === "inPieces") {
      const size = Math.ceil(body.length / PIECES);
      for (let at = 0; at < body.length; at += size) {
        response.write(body.subarray(at, at + size));
        await delay(1);
      }
      return void response.end();
    }
    response.end(body);
  }

  async #onMessage(client: WebSocket, message: string): Promise<void> {
    const fault = this.nextFault();
    if (fault === "late") await delay(LATE_MS);
    if (fault === "cutOff" || fault === "serverError") return client.terminate();
    const limited = (call: Call): string =>
      JSON.stringify({ jsonrpc: "2.0", id: call.id, error: { code: -32005, message: "rate limit exceeded" } });
    const answered = await this.#answer(message, fault === "rateLimited" ? { instead: limited } : { client });
    if (client.readyState === WebSocket.OPEN) client.send(bodyOf(answered, fault));
  }

  async #answer(message: string, options: { client?: WebSocket; instead?: (call: Call) => string } = {}): Promise<Answered> {
    const calls = JSON.parse(message) as Call | Call[];
    const reply = async (call: Call) => [call.id, await this.#reply(call, options)] as const;
    if (!Array.isArray(calls)) return { replies: [await reply(calls)], isBatch: false };
    if (this.#takesBatches) return { replies: await Promise.all(calls.map(reply)), isBatch: true };
    const refusal = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch requests are not supported" } });
    return { replies: [[null, refusal]], isBatch: false };
  }

  async #reply(call: Call, { client, instead }: { client?: WebSocket; instead?: (call: Call) => string }): Promise<string> {
    if (instead !== undefined) return instead(call);
    const { id = null, method, params = [] } = call;
    this.counts.set(method, (this.counts.get(method) ?? 0) + 1);
    try {
      return JSON.stringify({ jsonrpc: "2.0", id, result: (await this.#result(method, params, client)) ?? null });
    } catch (error) {
      const { code, message, data } = error instanceof NodeError ? error : new NodeError(-32603, String(error));
      return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } });
    }
  }

  #result(method: string, params: readonly unknown[], client: WebSocket | undefined): unknown {
    if (client !== undefined && method === "eth_subscribe" && params[0] === "newHeads") {
      const subscription = `0x${(++this.#subscriptions).toString(16)}`;
      this.#subscribers.set(client, [...(this.#subscribers.get(client) ?? []), subscription]);
      return subscription;
    }
    const answer = this.#methods[method];
    if (answer === undefined) throw new NodeError(-32601, `the method ${method} does not exist/is not available`);
    return answer(params);
  }
}

function bodyOf({ replies, isBatch }: Answered, fault: Fault | undefined): string {
  if (fault === "garbage") return '{"jsonrpc":"2.0","id":1,"result":{"number":"0x';
  let texts = replies.map(([, reply]) => reply);
  if (fault === "wrongIds") texts = texts.map((reply) => JSON.stringify({ ...(JSON.parse(reply) as object), id: 987_654_321 }));
  return isBatch ? `[${texts.join(",")}]` : texts[0]!;
}
