/**
 * Counts messages that WebSocket clients have not read. A client with too many is closed; if all together exceed the limit, the worst one
 * is.
 */
import { WebSocket } from "ws";
import type { Limits } from "../../../base/limits.ts";

const TRY_AGAIN_LATER = 1013;
/** Time after which the connection is dropped: a client that does not read messages does not read the close frame either. */
const CLOSE_TIMEOUT_MS = 1000;

export class OutgoingQueues {
  readonly #limits: Limits;
  readonly #queues = new Set<OutgoingQueue>();
  /** of all clients */
  bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  open(client: WebSocket): OutgoingQueue {
    const queue = new OutgoingQueue(client, this, this.#limits.webSocketQueueBytes);
    this.#queues.add(queue);
    client.once("close", () => {
      this.#queues.delete(queue);
      queue.clear();
    });
    return queue;
  }

  /** Call this when bytes were added. */
  check(): void {
    while (this.bytes > this.#limits.answersBytes) {
      let worst: OutgoingQueue | undefined;
      for (const queue of this.#queues) if (queue.bytes > (worst?.bytes ?? 0)) worst = queue;
      if (worst === undefined) return;
      worst.giveUp();
    }
  }
}

export class OutgoingQueue {
  readonly #client: WebSocket;
  readonly #all: OutgoingQueues;
  readonly #maxBytes: number;
  #isGivenUp = false;
  /** bytes that wait to be sent */
  bytes = 0;
  /** called when a message was sent */
  onTaken = () => {};

  constructor(client: WebSocket, all: OutgoingQueues, maxBytes: number) {
    this.#client = client;
    this.#all = all;
    this.#maxBytes = maxBytes;
  }

  /** @param heldBytes bytes of further messages for this client that wait elsewhere */
  send(message: Buffer | string, heldBytes = 0): void {
    if (message.length === 0 || this.#isGivenUp || this.#client.readyState !== WebSocket.OPEN) return;
    const size = Buffer.byteLength(message);
    // a single message may exceed the limit
    if (this.bytes > 0 && this.bytes + size + heldBytes > this.#maxBytes) this.giveUp();
    else this.#send(message, size);
  }

  giveUp(): void {
    this.clear();
    this.#client.close(TRY_AGAIN_LATER, "messages were not read in time");
    setTimeout(() => this.#client.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  /** Drops all waiting bytes from the count, and accepts no more messages. */
  clear(): void {
    this.#add(-this.bytes);
    this.#isGivenUp = true;
  }

  #send(message: Buffer | string, size: number): void {
    this.#add(size);
    this.#client.send(message, { binary: false }, () => {
      if (this.#isGivenUp) return;
      this.#add(-size);
      this.onTaken();
    });
    this.#all.check();
  }

  #add(bytes: number): void {
    this.bytes += bytes;
    this.#all.bytes += bytes;
  }
}
