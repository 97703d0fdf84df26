/**
 * A recording served as the reference node would: `/ext/info`, P and X by height, the Index API, the C-chain's RPC and its new heads. Blocks
 * are accepted when the test releases them; faults come from a hook.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { Execution } from "./execution.ts";
import { type Fault, sendWith } from "./replay-faults.ts";
import { EVM_METHODS, type Heights, METHODS, NodeRefusal, type Served } from "./replayed-methods.ts";
import { CHAINS, type ChainName, type ReplayedNetwork, readReplayedNetwork } from "./replayed-network.ts";

export interface ReplayOptions {
  /** of a recording, or what was read of one */
  readonly recording: string | ReplayedNetwork;
  /** by default nothing but genesis is accepted */
  readonly released?: Partial<Heights>;
  /** default: a free one */
  readonly port?: number;
  /** The C-chain executes what it accepts when the test says so, as since Helicon; this height at first. */
  readonly executed?: number;
}

export interface Message {
  readonly path: string;
  readonly calls: readonly Call[];
}

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: unknown;
}

const JSON_TYPE = "application/json; charset=utf-8";
const EVM_PATH = "/ext/bc/C/rpc";
/** what `newHeads` leaves out of a block */
const NOT_IN_HEADS = new Set(["transactions", "uncles", "blockExtraData", "size", "totalDifficulty"]);
const NOT_FOUND = "404 page not found\n";
const NO_BATCH =
  '{"jsonrpc":"2.0","error":{"code":-32700,"message":"json: cannot unmarshal array into Go value of type json2.serverRequest","data":{"jsonrpc":"","method":"","params":null,"id":null}},"id":null}\n';

export class ReplayNode {
  readonly network: ReplayedNetwork;
  /** calls so far, by method */
  readonly counts = new Map<string, number>();
  /** may be changed at any time: false as on nodes that are started without it */
  hasIndex = true;
  hasEvmRpc = true;
  /** what goes wrong with a message; by default nothing */
  fault: (message: Message) => Fault | undefined = () => undefined;
  /** of the C-chain; undefined: it executes what it accepts at once */
  readonly execution: Execution | undefined;
  #heights: Heights;
  readonly #server = createServer((request, response) => void this.#onRequest(request, response).catch(() => response.destroy()));
  readonly #webSockets = new WebSocketServer({ server: this.#server });
  readonly #subscribers = new Map<WebSocket, string>();

  private constructor({ recording, released = {}, executed }: ReplayOptions) {
    this.execution = executed === undefined ? undefined : new Execution(executed);
    this.network = typeof recording === "string" ? readReplayedNetwork(recording) : recording;
    this.#heights = { P: 0n, X: 0n, C: 0n, ...released };
    this.#webSockets.on("connection", (client) => client.on("message", (data) => void this.#onMessage(client, String(data))));
  }

  static async start(options: ReplayOptions): Promise<ReplayNode> {
    const node = new ReplayNode(options);
    node.#server.listen(options.port ?? 0, "127.0.0.1");
    await once(node.#server, "listening");
    return node;
  }

  /** `http://127.0.0.1:<port>` */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get heights(): Heights {
    return this.#heights;
  }

  get lastHeights(): Heights {
    return lastHeights(this.network);
  }

  /** Accepts blocks up to these heights, or goes back to them. */
  release(heights: Partial<Heights>): void {
    const before = this.#heights.C;
    this.#heights = { ...this.#heights, ...heights };
    if (this.execution === undefined) for (let height = before + 1n; height <= this.#heights.C; height++) this.#announce(height);
  }

  /** The C-chain has executed its accepted blocks up to this height. */
  execute(height: number): void {
    const before = this.execution!.executed;
    this.execution!.to(height);
    for (let next = before + 1; next <= height; next++) this.#announce(BigInt(next));
  }

  releaseAll(): void {
    this.release(this.lastHeights);
  }

  /** Accepts the next block of each chain that has one. Returns whether there was one. */
  releaseNext(): boolean {
    const last = this.lastHeights;
    const next = CHAINS.filter((chain) => this.#heights[chain] < last[chain]);
    this.release(Object.fromEntries(next.map((chain) => [chain, this.#heights[chain] + 1n])));
    return next.length > 0;
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
    const path = request.url!;
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Call | Call[];
    const fault = this.fault({ path, calls: [body].flat() });
    const answer = await this.#answer(path, body, this.#served(fault?.kind === "behind" ? fault.blocks : 0n));
    if (answer === undefined) return void response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end(NOT_FOUND);
    await sendWith(fault, answer, path === EVM_PATH ? "application/json" : JSON_TYPE, response);
  }

  #served(blocksBehind: bigint): Served {
    const behind = (height: bigint) => (height > blocksBehind ? height - blocksBehind : 0n);
    const { P, X, C } = this.#heights;
    return { network: this.network, heights: { P: behind(P), X: behind(X), C: behind(C) }, execution: this.execution };
  }

  /** undefined: there is no such path */
  async #answer(path: string, body: Call | Call[], served: Served): Promise<string | undefined> {
    if (path === EVM_PATH) {
      if (!this.hasEvmRpc) return undefined;
      if (!Array.isArray(body)) return this.#evmReply(body, served);
      return `[${(await Promise.all(body.map((call) => this.#evmReply(call, served)))).join(",")}]`;
    }
    const methods = path.startsWith("/ext/index/") && !this.hasIndex ? undefined : METHODS[path];
    if (methods === undefined) return undefined;
    if (Array.isArray(body)) return NO_BATCH;
    return `${this.#reply(body, () => {
      const method = methods[body.method];
      if (method === undefined) throw new NodeRefusal(`rpc: can't find method "${body.method}"`);
      return method(served, paramsOf(body));
    })}\n`;
  }

  /** In the order of members that each of the two libraries writes. */
  #reply({ id = null, method }: Call, result: () => string): string {
    this.#count(method);
    try {
      return `{"jsonrpc":"2.0","result":${result()},"id":${JSON.stringify(id)}}`;
    } catch (error) {
      return `{"jsonrpc":"2.0","error":${JSON.stringify({ ...refusalOf(error), data: null })},"id":${JSON.stringify(id)}}`;
    }
  }

  async #evmReply({ id = null, method, params = [] }: Call, served: Served): Promise<string> {
    this.#count(method);
    try {
      const answer = EVM_METHODS[method];
      if (answer === undefined) throw new NodeRefusal(`the method ${method} does not exist/is not available`, -32_601);
      return JSON.stringify({ jsonrpc: "2.0", id, result: await answer(served, params as unknown[]) });
    } catch (error) {
      return JSON.stringify({ jsonrpc: "2.0", id, error: refusalOf(error) });
    }
  }

  #count(method: string): void {
    this.counts.set(method, (this.counts.get(method) ?? 0) + 1);
  }

  async #onMessage(client: WebSocket, data: string): Promise<void> {
    const call = JSON.parse(data) as Call;
    if (call.method !== "eth_subscribe") {
      client.send(await this.#evmReply(call, this.#served(0n)));
      return;
    }
    const subscription = `0x${(this.#subscribers.size + 1).toString(16)}`;
    this.#subscribers.set(client, subscription);
    client.on("close", () => this.#subscribers.delete(client));
    client.send(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: subscription }));
  }

  #announce(height: bigint): void {
    const members = Object.entries(this.network.chains.C[Number(height)]!.evm!.block);
    const header = Object.fromEntries(members.filter(([name]) => !NOT_IN_HEADS.has(name)));
    for (const [client, subscription] of this.#subscribers) {
      client.send(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription, result: header } }));
    }
  }
}

/** The heights of the recording's last blocks. */
export function lastHeights({ chains }: ReplayedNetwork): Heights {
  const lastOf = (chain: ChainName) => BigInt(Math.max(0, chains[chain].length - 1));
  return { P: lastOf("P"), X: lastOf("X"), C: lastOf("C") };
}

/** An object, or a list that holds one. */
function paramsOf({ params }: Call): Readonly<Record<string, unknown>> {
  return ((Array.isArray(params) ? params[0] : params) ?? {}) as Readonly<Record<string, unknown>>;
}

function refusalOf(error: unknown): { code: number; message: string } {
  if (!(error instanceof NodeRefusal)) throw error;
  return { code: error.code, message: error.message };
}
