/** What attacks use: connections to one server from an address of their own, and counts of the responses. */
import { request as requestHttp } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import type { TargetKind } from "./attack.ts";

export interface AttackerOptions {
  readonly target: TargetKind;
  readonly port: number;
  /** address that connections come from; on Linux any of 127.0.0.0/8 */
  readonly from: string;
  readonly seconds: number;
  /** URL of the store of `follow-postgres`, as its superuser */
  readonly store?: string | undefined;
  /** at which peers connect to `peers` */
  readonly peerPort?: number | undefined;
}

export interface RequestOptions {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Answered {
  /** 0: none */
  readonly status: number;
  /** the first bytes */
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

export const JSON_TYPE = { "Content-Type": "application/json" };
const STATUS_LINE = /HTTP\/1\.[01] (\d{3})/g;
const KEPT_BODY = 65_536;
/** while an address is refused, another try every so often */
const REFUSED_PAUSE_MS = 20;

export class Attacker {
  readonly target: TargetKind;
  readonly port: number;
  readonly from: string;
  readonly store: string | undefined;
  readonly peerPort: number | undefined;
  /** answers by status; `none` for connections that ended without one */
  readonly tally = new Map<string, number>();
  readonly #seconds: number;
  #endsAt: number | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<WebSocket>();

  constructor({ target, port, from, seconds, store, peerPort }: AttackerOptions) {
    this.target = target;
    this.port = port;
    this.from = from;
    this.#seconds = seconds;
    this.store = store;
    this.peerPort = peerPort;
  }

  isOver(): boolean {
    return this.#leftMs() <= 0;
  }

  /** The time begins with the first question for it: what is to be sent is made before. */
  #leftMs(): number {
    this.#endsAt ??= performance.now() + this.#seconds * 1000;
    return this.#endsAt - performance.now();
  }

  /** Until the attack is over, or for so long. */
  async wait(milliseconds = Number.POSITIVE_INFINITY): Promise<void> {
    const left = this.#leftMs();
    if (left > 0) await sleep(Math.min(milliseconds, left));
  }

  /** Does the same with so many hands until the attack is over. */
  async again(hands: number, act: (turn: number) => Promise<unknown>): Promise<void> {
    let turn = 0;
    const work = async () => {
      while (!this.isOver()) await act(turn++);
    };
    await Promise.all(Array.from({ length: hands }, work));
  }

  /** Resolves when connected, with nothing if that failed. What comes back is counted, and read unless `isRead` is false. */
  connect({ isRead = true, from = this.from }: { isRead?: boolean; from?: string } = {}): Promise<Socket | undefined> {
    this.#leftMs();
    return new Promise((resolve) => {
      const socket = connect({ host: "127.0.0.1", port: this.port, localAddress: from });
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.once("connect", () => resolve(socket));
      socket.once("close", () => {
        this.#sockets.delete(socket);
        setTimeout(resolve, REFUSED_PAUSE_MS, undefined);
      });
      if (isRead) socket.on("data", (chunk: Buffer) => this.#countStatuses(chunk));
      else socket.pause();
    });
  }

  /** Sends bytes on a connection of its own, and waits for it to end, or a while. */
  async send(bytes: string | Buffer, patienceMs = 5000): Promise<void> {
    const socket = await this.connect();
    if (socket === undefined || socket.destroyed) return;
    socket.write(bytes);
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    await Promise.race([ended, this.wait(patienceMs)]);
    socket.destroy();
  }

  /** One request on a connection of its own; what is wrong with it is no error. */
  ask({ method = "GET", path, headers = {}, body }: RequestOptions): Promise<Answered> {
    return new Promise((resolve) => {
      const sent = requestHttp({
        host: "127.0.0.1",
        port: this.port,
        localAddress: this.from,
        agent: false,
        method,
        path,
        headers: { ...headers, ...(body === undefined ? {} : { "Content-Length": `${Buffer.byteLength(body)}` }) },
      });
      const finish = (answered: Answered) => {
        this.count(answered.status === 0 ? "none" : `${answered.status}`);
        clearTimeout(timer);
        sent.destroy();
        resolve(answered);
      };
      const timer = setTimeout(() => finish({ status: 0, body: "", headers: {} }), Math.max(this.#leftMs(), 1));
      sent.on("error", () => finish({ status: 0, body: "", headers: {} }));
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on("data", (chunk: Buffer) => {
          if (length < KEPT_BODY) chunks.push(chunk);
          length += chunk.length;
        });
        const end = () =>
          finish({ status: response.statusCode!, body: Buffer.concat(chunks).toString("latin1"), headers: response.headers });
        response.on("end", end);
        response.on("error", end);
      });
      sent.end(body);
    });
  }

  /** A request of JSON, like `ask`. */
  post(path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = JSON_TYPE): Promise<Answered> {
    return this.ask({ method: "POST", path, headers, body });
  }

  /** A WebSocket to the C-chain's EVM; undefined if it was refused. */
  webSocket(headers: Readonly<Record<string, string>> = {}): Promise<WebSocket | undefined> {
    return new Promise((resolve) => {
      const client = new WebSocket(`ws://127.0.0.1:${this.port}/ext/bc/C/ws`, {
        localAddress: this.from,
        headers,
        perMessageDeflate: false,
      });
      this.#clients.add(client);
      client.on("error", () => {});
      client.once("open", () => resolve(client));
      client.once("close", () => {
        this.#clients.delete(client);
        setTimeout(resolve, REFUSED_PAUSE_MS, undefined);
      });
    });
  }

  end(): void {
    for (const client of this.#clients) client.terminate();
    for (const socket of this.#sockets) socket.destroy();
  }

  #countStatuses(chunk: Buffer): void {
    // large answers hold no further status lines
    if (chunk.length > KEPT_BODY / 2) return;
    for (const [, status] of chunk.toString("latin1").matchAll(STATUS_LINE)) this.count(status!);
  }

  count(outcome: string): void {
    this.tally.set(outcome, (this.tally.get(outcome) ?? 0) + 1);
  }
}
