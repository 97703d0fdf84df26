/**
 * A URL with nodes behind it, where messages meet faults that a seed draws. As behind a load balancer consecutive messages reach different
 * nodes, which may have different heights. It stands before any node: a replayed one, a devnet, one of a live network.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomOf } from "../evm/replay-rpc/random.ts";
import { FAULT_KINDS, type FaultKind, FaultWeather, faultOf, pick } from "./proxy-faults.ts";
import { sendWith } from "./replay-faults.ts";

export interface ProxyOptions {
  readonly seed: number;
  /** base URLs of nodes of one network */
  readonly nodes: readonly string[];
  /** base URL of a node of another network, for the fault `foreign` */
  readonly stranger?: string;
  /** by default all that have a meaning here */
  readonly kinds?: readonly FaultKind[];
}

export class FaultyProxy {
  /** messages that met each kind of fault */
  readonly counts = new Map<FaultKind, number>();
  readonly #options: ProxyOptions;
  readonly #random: () => number;
  readonly #weather: FaultWeather;
  readonly #server = createServer((request, response) => void this.#onRequest(request, response).catch(() => response.destroy()));
  /** last answers, by path and method */
  readonly #answers = new Map<string, string>();
  #isHealthy = false;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#random = randomOf(options.seed);
    const kinds = options.kinds ?? FAULT_KINDS;
    this.#weather = new FaultWeather(this.#random, options.stranger === undefined ? kinds.filter((kind) => kind !== "foreign") : kinds);
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

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const kind = this.#isHealthy ? undefined : this.#weather.next();
    if (kind !== undefined) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    const { nodes, stranger } = this.#options;
    const node = this.#isHealthy ? nodes[0]! : kind === "foreign" ? stranger! : pick(nodes, this.#random)!;
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
