/** WebSockets of EVM chains: limits their number in total and per address, and closes dead ones. */

import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import type { Limits } from "../../../base/limits.ts";
import type { EvmNode } from "../../../devnet/anvil/evm-node.ts";
import { HeldBytes } from "../../../http/held-bytes.ts";
import { type Accept, type AcceptedUpgrade, refuseUpgrade } from "../../../http/upgrade.ts";
import type { EvmGateway } from "../gateway.ts";
import { EvmClient } from "./evm-client.ts";
import { OutgoingQueues } from "./outgoing-queues.ts";
import { UnfinishedMessages } from "./unfinished-messages.ts";

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;
/** Time that clients have to close. */
const CLOSE_TIMEOUT_MS = 1000;
/** As in geth: a client that sends nothing for this long after a ping is considered gone. */
const PING_MS = 30_000;

/** The chain that a WebSocket belongs to. */
interface ReachedEvm {
  readonly gateway: EvmGateway;
  readonly evm: EvmNode;
}

export interface EvmWebSocketParts {
  readonly limits: Limits;
  /** by default geth's interval */
  readonly pingMs?: number;
}

interface Place {
  readonly client: object;
  readonly socket: WebSocket;
}

export class EvmWebSockets {
  readonly #parts: EvmWebSocketParts;
  readonly #server: WebSocketServer;
  readonly #queues: OutgoingQueues;
  readonly #unfinished: UnfinishedMessages;
  readonly #pings: NodeJS.Timeout;
  /** each holds one place; the one silent for longest comes first */
  readonly #places: HeldBytes<Place>;
  readonly #counts = new Map<object, number>();
  /** clients that sent nothing since the last ping */
  #silent = new Set<WebSocket>();

  constructor(parts: EvmWebSocketParts) {
    const { limits, pingMs = PING_MS } = parts;
    this.#parts = parts;
    // `allowSynchronousEvents: false` would bound what a client does per turn, but with it ws 8.23 throws outside of any handler when frames
    // follow one that it refused
    this.#server = new WebSocketServer({ noServer: true, maxPayload: limits.evmBodyBytes, perMessageDeflate: false, autoPong: false });
    this.#places = new HeldBytes(limits.webSockets, ({ socket }) => {
      socket.close(TRY_AGAIN_LATER, "there are too many WebSockets");
      socket.terminate();
    });
    this.#queues = new OutgoingQueues(limits);
    this.#unfinished = new UnfinishedMessages(limits.bodiesBytes);
    this.#pings = setInterval(() => this.#ping(), pingMs).unref();
  }

  /** Accepts WebSockets of one chain. */
  acceptFor(reached: ReachedEvm): Accept {
    return (...upgrade) => this.#accept(reached, ...upgrade);
  }

  #accept(reached: ReachedEvm, ...[request, socket, head, upgrade]: Parameters<Accept>): void {
    const { webSocketsPerAddress } = this.#parts.limits;
    const isFull = !upgrade.isProxy && (this.#counts.get(upgrade.client) ?? 0) >= webSocketsPerAddress;
    if (isFull) refuseUpgrade(socket, 503, `this address has ${webSocketsPerAddress} WebSockets; close some, or try again in a moment`);
    else this.#server.handleUpgrade(request, socket, head, (client) => this.#serve(reached, client, socket, upgrade));
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    clearInterval(this.#pings);
    const { clients } = this.#server;
    for (const client of clients) client.close(GOING_AWAY, "the network was stopped");
    const timer = setTimeout(() => clients.forEach((client) => void client.terminate()), CLOSE_TIMEOUT_MS);
    await Promise.all([...clients].map((client) => new Promise((resolve) => client.once("close", resolve))));
    clearTimeout(timer);
    this.#server.close();
  }

  #serve(reached: ReachedEvm, client: WebSocket, socket: Duplex, upgrade: AcceptedUpgrade): void {
    this.#unfinished.watch(client, socket);
    this.#place({ client: upgrade.client, socket: client });
    const served = new EvmClient(client, { ...reached, limits: this.#parts.limits, upgrade, queue: this.#queues.open(client) });
    socket.on("data", () => {
      this.#silent.delete(client);
      // a packet can contain thousands of frames, so the next one is read in another turn of the event loop
      client.pause();
      setImmediate(() => {
        served.goOn();
        // ws itself reads no more from a connection that ends if it refused a frame of a long packet
        if (client.readyState !== WebSocket.OPEN) socket.resume();
      });
    });
  }

  /** If all places are taken, the address with the most of them loses its connection that was silent for longest. */
  #place(place: Place): void {
    const { client, socket } = place;
    this.#count(client, 1);
    socket.once("close", () => {
      this.#places.release(place);
      this.#count(client, -1);
    });
    socket.on("message", () => {
      this.#places.release(place);
      if (socket.readyState === WebSocket.OPEN) this.#places.hold(place, 1);
    });
    this.#places.hold(place, 1);
  }

  #count(client: object, by: 1 | -1): void {
    const count = (this.#counts.get(client) ?? 0) + by;
    if (count === 0) this.#counts.delete(client);
    else this.#counts.set(client, count);
  }

  #ping(): void {
    for (const client of this.#silent) client.terminate();
    this.#silent = new Set(this.#server.clients);
    for (const client of this.#silent) client.ping(() => {});
  }
}
