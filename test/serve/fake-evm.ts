/** An EVM that a test controls: it answers bodies and sends messages to subscribers. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { cChainSpec } from "../../src/devnet/anvil/chains/c-chain-spec.ts";
import type { EvmChainSpec } from "../../src/devnet/anvil/chains/evm-chain-spec.ts";
import type { EvmCall } from "../../src/devnet/anvil/evm-call.ts";
import type { EvmHealth, EvmNode } from "../../src/devnet/anvil/evm-node.ts";
import { devnetNetwork } from "../../src/devnet/devnet-network.ts";
import type { NetworkInstance } from "../../src/network/network.ts";

export class FakeEvm implements EvmNode {
  readonly forwarded: string[] = [];
  readonly #server: WebSocketServer;
  /** answers a call; by default with its own method's name */
  reply: (body: string) => string | Promise<string> = echo;
  tip = "0x3b9aca00";
  /** whose C-chain it is */
  network: NetworkInstance = devnetNetwork({ now: 1_800_000_000n }).network;
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

  get spec(): EvmChainSpec {
    return cChainSpec(this.network);
  }

  static async start(): Promise<FakeEvm> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    await once(server, "listening");
    return new FakeEvm(server);
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async baseFee(): Promise<bigint> {
    return this.spec.baseFeeAt(1_800_000_000n);
  }

  async request(): Promise<unknown> {
    return this.tip;
  }

  async forward({ raw }: EvmCall): Promise<Buffer> {
    this.forwarded.push(raw);
    return Buffer.from(await this.reply(raw));
  }

  async issueUnsigned(): Promise<string> {
    throw new Error("nobody sends unsigned transactions");
  }

  get subscribers(): number {
    return this.#server.clients.size;
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

  async completeHead(message: Buffer): Promise<Buffer> {
    return message;
  }

  async started(): Promise<void> {}

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

export function echo(call: string): string {
  const { id, method } = JSON.parse(call) as Call;
  return id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, result: method });
}
