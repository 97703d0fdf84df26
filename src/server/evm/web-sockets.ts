/**
 * WebSockets of the C-chain's EVM. Calls go the same way as over HTTP; subscriptions have a connection to the EVM for each client, whose
 * messages wait while a block is sealed that is not committed, so that nobody hears of a block that may never be.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import type { EvmNode } from "../../evm-node/evm-node.ts";
import { callsOf, type EvmGateway, errorAnswer } from "./gateway.ts";

/** As over HTTP. */
const MAX_MESSAGE_BYTES = 32 << 20;
const GOING_AWAY = 1001;
const INTERNAL_ERROR = 1011;
const SERVICE_RESTART = 1012;
const SUBSCRIPTIONS: ReadonlySet<string> = new Set(["eth_subscribe", "eth_unsubscribe"]);
/** Time that clients have to close. */
const CLOSE_TIMEOUT_MS = 1000;

export class EvmWebSockets {
  readonly #gateway: EvmGateway;
  readonly #evm: EvmNode;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });

  constructor(gateway: EvmGateway, evm: EvmNode) {
    this.#gateway = gateway;
    this.#evm = evm;
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (client) => void new EvmClient(client, this.#gateway, this.#evm));
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    const { clients } = this.#server;
    for (const client of clients) client.close(GOING_AWAY, "the network was stopped");
    const timer = setTimeout(() => clients.forEach((client) => void client.terminate()), CLOSE_TIMEOUT_MS);
    await Promise.all([...clients].map((client) => new Promise((resolve) => client.once("close", resolve))));
    clearTimeout(timer);
    this.#server.close();
  }
}

/** One client and, from its first subscription on, its connection to the EVM. */
class EvmClient {
  readonly #client: WebSocket;
  readonly #gateway: EvmGateway;
  readonly #evm: EvmNode;
  #upstream: Promise<WebSocket> | undefined;
  /** settles with the last message from the EVM: they keep their order */
  #delivered: Promise<void> = Promise.resolve();

  constructor(client: WebSocket, gateway: EvmGateway, evm: EvmNode) {
    this.#client = client;
    this.#gateway = gateway;
    this.#evm = evm;
    client.on("message", (data) => {
      this.#receive(latin1Of(data)).catch(() => client.close(INTERNAL_ERROR));
    });
    client.on("close", () => void this.#upstream?.then((upstream) => upstream.close()).catch(() => {}));
    client.on("error", () => {});
  }

  async #receive(body: string): Promise<void> {
    const calls = callsOf(body);
    const subscription = calls?.list.find(({ method }) => SUBSCRIPTIONS.has(method ?? ""));
    if (subscription === undefined) return this.#send(await this.#gateway.answer(body));
    if (calls!.isBatch) return this.#send(errorAnswer(subscription, `send ${subscription.method} by itself, not in a batch`));
    try {
      this.#upstream ??= this.#connect();
      (await this.#upstream).send(Buffer.from(body, "latin1").toString());
    } catch {
      this.#upstream = undefined;
      this.#send(errorAnswer(subscription, "the C-chain's EVM does not answer; try again in a moment"));
    }
  }

  async #connect(): Promise<WebSocket> {
    await this.#evm.ready();
    const upstream = new WebSocket(this.#evm.webSocketUrl, { maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
    upstream.on("message", (data) => this.#deliver(latin1Of(data)));
    return new Promise((resolve, reject) => {
      upstream.on("error", reject);
      upstream.once("open", () => {
        // Subscriptions end with the EVM that had them: clients make them anew with the next one
        upstream.once("close", () => this.#client.close(SERVICE_RESTART, "the C-chain's EVM was started anew"));
        resolve(upstream);
      });
    });
  }

  #deliver(message: string): void {
    this.#delivered = this.#delivered
      .then(() => this.#evm.ready())
      .then(
        () => this.#send(message),
        () => {},
      );
  }

  #send(message: string): void {
    if (message !== "" && this.#client.readyState === WebSocket.OPEN) this.#client.send(Buffer.from(message, "latin1").toString());
  }
}

function latin1Of(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString("latin1");
}
