/** Limits incoming WebSocket messages that are incomplete: together they hold no more bytes than request bodies may. */
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { FrameMeter } from "./frame-meter.ts";

const TRY_AGAIN_LATER = 1013;

export class UnfinishedMessages {
  readonly #maxBytes: number;
  readonly #byClient = new Map<WebSocket, number>();
  /** of all clients */
  bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  watch(client: WebSocket, socket: Duplex): void {
    const meter = new FrameMeter();
    socket.on("data", (packet: Buffer) => {
      this.#set(client, client.readyState === client.OPEN ? meter.read(packet) : 0);
      if (this.bytes > this.#maxBytes) this.#closeLongest();
    });
    client.once("close", () => this.#set(client, 0));
  }

  #set(client: WebSocket, bytes: number): void {
    this.bytes += bytes - (this.#byClient.get(client) ?? 0);
    if (bytes === 0) this.#byClient.delete(client);
    else this.#byClient.set(client, bytes);
  }

  #closeLongest(): void {
    const [client] = [...this.#byClient].reduce((a, b) => (b[1] > a[1] ? b : a));
    client.close(TRY_AGAIN_LATER, "too many messages are being sent at once");
    client.terminate();
    this.#set(client, 0);
  }
}
