/** A network between a client and a server that a test can cut, stall or slow down. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { delay } from "../patience.ts";

type Direction = "to server" | "to client";
const BOTH: readonly Direction[] = ["to server", "to client"];

export class TcpProxy {
  /** how much later each part of what is sent arrives, in both directions */
  delayMs = 0;
  /** of connections that clients made so far */
  accepted = 0;
  #target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #stalled = new Map<Direction, { readonly passed: Promise<void>; readonly pass: () => void }>();
  #isCut = false;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      this.accepted++;
      if (this.#isCut) client.resetAndDestroy();
      else this.#join(client, connect({ port: this.#target, host: "127.0.0.1", allowHalfOpen: true }));
    });
  }

  /** @param target a port of 127.0.0.1 */
  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resets all connections, and those that are made until `mend`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Nothing arrives any more, but connections stay open and new ones are accepted, as when a network fails. Nothing is lost until `mend`. */
  stall(directions: readonly Direction[] = BOTH): void {
    for (const direction of directions) {
      if (!this.#stalled.has(direction)) this.#stalled.set(direction, gate());
    }
  }

  /** Connections that are made from now on lead there; those that there are end. */
  leadTo(target: number): void {
    this.#target = target;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** After `cut` or `stall`. */
  mend(): void {
    this.#isCut = false;
    for (const { pass } of this.#stalled.values()) pass();
    this.#stalled.clear();
  }

  async close(): Promise<void> {
    this.mend();
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket, server: Socket): void {
    const end = () => {
      for (const socket of [client, server]) {
        this.#sockets.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", end);
    }
    Promise.all([this.#carry(client, server, "to server"), this.#carry(server, client, "to client")]).then(end, end);
  }

  async #carry(from: Socket, to: Socket, direction: Direction): Promise<void> {
    for await (const chunk of from) {
      if (this.delayMs > 0) await delay(this.delayMs);
      // it may be stalled again before the first one goes on
      for (let stalled = this.#stalled.get(direction); stalled !== undefined; stalled = this.#stalled.get(direction)) await stalled.passed;
      if (!to.write(chunk)) await once(to, "drain");
    }
    await this.#stalled.get(direction)?.passed;
    to.end();
  }
}

function gate(): { readonly passed: Promise<void>; readonly pass: () => void } {
  let pass!: () => void;
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { passed, pass };
}
