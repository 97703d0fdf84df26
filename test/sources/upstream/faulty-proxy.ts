/**
 * A URL with nodes behind it, where messages meet faults that a seed draws. As behind a load balancer consecutive messages reach different
 * nodes, which may have different heights. It stands before any node: a replayed one, a devnet, one of a live network.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { randomOf } from "../../random.ts";
import { passSocket } from "./faulty-socket.ts";
import { ELSEWHERE, FAULT_KINDS, type FaultKind, FaultWeather, faultOf, pick } from "./proxy-faults.ts";
import { sendWith } from "./replay-faults.ts";

export interface ProxyOptions {
  readonly seed: number;
  /** base URLs of nodes of one network */
  readonly nodes: readonly string[];
  /** base URLs of other nodes; without its node a kind does not occur */
  readonly elsewhere?: { readonly [Kind in (typeof ELSEWHERE)[number]]?: string };
  /** by default all */
  readonly kinds?: readonly FaultKind[];
  /** every message meets a fault; by default there is now more and now less of them */
  readonly always?: boolean;
}

/** methods that return blocks */
const BLOCKS = /getContainerRange|getBlockByHeight|eth_getBlockByNumber/;

export class FaultyProxy {
  /** messages that met each kind of fault */
  readonly counts = new Map<FaultKind, number>();
  readonly #options: ProxyOptions;
  readonly #random: () => number;
  readonly #weather: FaultWeather;
  readonly #server = createServer((request, response) => void this.#onRequest(request, response).catch(() => response.destroy()));
  /** last answers, by path and method */
  readonly #answers = new Map<string, string>();
  readonly #webSockets = new WebSocketServer({ server: this.#server });
  #isHealthy = false;
  #blocksUnderWay = 0;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#random = randomOf(options.seed);
    const { kinds = FAULT_KINDS, elsewhere = {}, nodes, always } = options;
    const without = ELSEWHERE.filter((kind) => elsewhere[kind] === undefined);
    const possible = kinds.filter((kind) => !(without as FaultKind[]).includes(kind));
    this.#weather = new FaultWeather(this.#random, possible, always);
    this.#webSockets.on("connection", (client, { url }) => passSocket(client, nodes[0]!.replace(/^http/, "ws") + url, () => this.#next()));
  }

  static async start(options: ProxyOptions): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(options);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Passes everything on as it is from now on, to the first node. */
  heal(): void {
    this.#isHealthy = true;
  }

  get isHealthy(): boolean {
    return this.#isHealthy;
  }

  /** messages for blocks that came since it is healthy, and that it has not answered yet */
  get blocksUnderWay(): number {
    return this.#blocksUnderWay;
  }

  async stop(): Promise<void> {
    for (const client of this.#webSockets.clients) client.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isForBlocks = this.#isHealthy && BLOCKS.test(methodOf(body));
    if (isForBlocks) this.#blocksUnderWay++;
    await this.#answer(request, body, response).finally(() => {
      if (isForBlocks) this.#blocksUnderWay--;
    });
  }

  /** What the next message meets. */
  #next(): FaultKind | undefined {
    const kind = this.#isHealthy ? undefined : this.#weather.next();
    if (kind !== undefined) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return kind;
  }

  async #answer(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const kind = this.#next();
    const { nodes, elsewhere } = this.#options;
    const other = elsewhere?.[kind as (typeof ELSEWHERE)[number]];
    const node = other ?? (this.#isHealthy ? nodes[0]! : pick(nodes, this.#random)!);
    const answer = await fetch(node + request.url, { method: "POST", body });
    const text = await answer.text();
    const contentType = answer.headers.get("content-type") ?? "application/json";
    const question = `${request.url} ${methodOf(body)}`;
    const fault = kind && faultOf(kind, this.#random, this.#answers.get(question));
    this.#answers.set(question, text);
    if (answer.status === 200) await sendWith(fault, text, contentType, response);
    else response.writeHead(answer.status, { "content-type": contentType }).end(text);
  }
}

/** Of the first call. */
function methodOf(body: Buffer): string {
  return /"method":"([^"]*)"/.exec(body.toString("latin1"))?.[1] ?? "";
}
