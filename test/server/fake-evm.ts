/** An EVM behind Firn that does what a test says: answers bodies, and sends what subscribers are to get. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import type { EvmHealth, EvmNode } from "../../src/evm-node/evm-node.ts";

export class FakeEvm implements EvmNode {
  readonly forwarded: string[] = [];
  readonly #server: WebSocketServer;
  /** answers a body; by default each call with its own method's name */
  reply: (body: string) => string | Promise<string> = echo;
  tip = "0x3b9aca00";
  #ready: Promise<void> = Promise.resolve();

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on("connection", (socket) =>
      socket.on("message", (data) => {
        const { id, method } = JSON.parse(data.toString());
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: method === "eth_subscribe" ? "0x1" : true }));
      }),
    );
  }

  static async start(): Promise<FakeEvm> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    await once(server, "listening");
    return new FakeEvm(server);
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async request(): Promise<unknown> {
    return this.tip;
  }

  async forward(body: string): Promise<string> {
    this.forwarded.push(body);
    return this.reply(body);
  }

  /** To all subscribers. */
  publish(message: object): void {
    for (const client of this.#server.clients) client.send(JSON.stringify(message));
  }

  /** As if it had died: connections break off. */
  die(): void {
    for (const client of this.#server.clients) client.terminate();
  }

  /** A block is sealed and not committed until the returned function is called. */
  seal(): () => void {
    let commit = () => {};
    this.#ready = new Promise((resolve) => {
      commit = resolve;
    });
    return commit;
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  health(): EvmHealth {
    return { isUp: true };
  }

  async stop(): Promise<void> {
    this.die();
    this.#server.close();
  }
}

interface Call {
  readonly id?: unknown;
  readonly method: string;
}

export function echo(body: string): string {
  const answer = ({ id, method }: Call) => (id === undefined ? [] : [{ jsonrpc: "2.0", id, result: method }]);
  const calls = JSON.parse(body) as Call | Call[];
  if (!Array.isArray(calls))
    return answer(calls)
      .map((one) => JSON.stringify(one))
      .join("");
  return JSON.stringify(calls.flatMap(answer));
}
