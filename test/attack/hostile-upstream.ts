/** A node that answers from a recording until it is told to send hostile answers. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { type ReplayRpc, startReplayRpc } from "../evm/replay-rpc/replay-rpc.ts";
import { dearTrace } from "./dear-trace.ts";

export const UPSTREAM_MODES = [
  "honest",
  "largeAnswers",
  "endlessAnswers",
  "drippingAnswers",
  "gzipBombs",
  "deepJson",
  "silence",
  "redirects",
  "largeHeaders",
  "dearTraces",
  "failingTraces",
] as const;
export type UpstreamMode = (typeof UPSTREAM_MODES)[number];

export interface UpstreamOrder {
  readonly recording: string;
}

/** blocks that come with each change of mode, so that something is asked for */
const BLOCKS_PER_CHANGE = 6;
const LARGE_ANSWER_BYTES = 250_000_000;
const PIECE = Buffer.from('{"a":[1,"b",{"c":null}]},'.repeat(4000));
const DEPTH = 5_000_000;
const DRIP_MS = 200;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

export class HostileUpstream {
  readonly #replay: ReplayRpc;
  readonly #last: number;
  readonly #server = createServer((request, response) => {
    response.on("error", () => {});
    void this.#answer(request, response).catch(() => response.destroy());
  });
  #mode: UpstreamMode = "honest";

  private constructor(replay: ReplayRpc, last: number) {
    this.#replay = replay;
    this.#last = last;
  }

  static async start({ recording }: UpstreamOrder): Promise<HostileUpstream> {
    const replay = await startReplayRpc({ recording });
    const last = replay.head;
    replay.setHead(Math.floor(last / 2));
    const upstream = new HostileUpstream(replay, last);
    upstream.#server.listen(0, "127.0.0.1");
    await once(upstream.#server, "listening");
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get head(): number {
    return this.#replay.head;
  }

  set(mode: UpstreamMode): void {
    this.#mode = mode;
    this.#replay.setHead(Math.min(this.#last, this.#replay.head + BLOCKS_PER_CHANGE));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#replay.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const calls = JSON.parse(body) as Call | readonly Call[];
    const first = Array.isArray(calls) ? (calls as readonly Call[])[0]! : (calls as Call);
    const start = `${Array.isArray(calls) ? "[" : ""}{"jsonrpc":"2.0","id":${JSON.stringify(first.id)},"result":`;
    switch (this.#mode) {
      case "honest":
        return this.#forward(body, response, async (text) => void response.end(text));
      case "largeAnswers":
        return pour(response, { start: `${start}[`, bytes: LARGE_ANSWER_BYTES, end: `0]}${Array.isArray(calls) ? "]" : ""}` });
      case "endlessAnswers":
        return pour(response, { start: `${start}[`, bytes: Number.POSITIVE_INFINITY, end: "" });
      case "drippingAnswers":
        return drip(response, `${start}"${"0".repeat(1000)}`);
      case "gzipBombs": {
        const packed = createGzip();
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
        packed.pipe(response);
        return pour(packed, { start: `${start}[`, bytes: LARGE_ANSWER_BYTES, end: "0]}" });
      }
      case "deepJson":
        return void response.end(`${start}${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}`);
      case "silence":
        return;
      case "redirects":
        return void response.writeHead(307, { location: `${this.url}/again` }).end();
      case "largeHeaders":
        return void response.writeHead(200, { "x-large": "x".repeat(2 << 20) }).end("{}");
      case "dearTraces":
      case "failingTraces":
        return this.#forward(body, response, (text) => this.#withTraces(calls, text, response));
    }
  }

  async #forward(body: string, response: ServerResponse, finish: (text: string) => Promise<void>): Promise<void> {
    const answer = await fetch(this.#replay.url, { method: "POST", body });
    response.writeHead(answer.status, { "content-type": "application/json" });
    await finish(await answer.text());
  }

  /** Call traces are dear, or are not had; everything else is as it was. */
  async #withTraces(calls: Call | readonly Call[], text: string, response: ServerResponse): Promise<void> {
    const answers = JSON.parse(text) as { id: unknown } | { id: unknown }[];
    const list = [calls].flat() as Call[];
    const all = [answers].flat() as { id: unknown }[];
    if (Array.isArray(answers)) response.write("[");
    for (const [index, call] of list.entries()) {
      if (index > 0) response.write(",");
      if (!call.method.startsWith("debug_trace")) await write(response, JSON.stringify(all[index] ?? null));
      else if (this.#mode === "failingTraces") {
        await write(response, JSON.stringify({ jsonrpc: "2.0", id: call.id, error: { code: -32000, message: "execution timeout" } }));
      } else {
        await write(response, `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":`);
        for (const piece of dearTrace(this.#replay.blocks, call.method, call.params ?? [])) await write(response, piece);
        await write(response, "}");
      }
    }
    response.end(Array.isArray(answers) ? "]" : undefined);
  }
}

interface Pouring {
  readonly start: string;
  readonly bytes: number;
  readonly end: string;
}

/** As fast as it is taken. */
async function pour(stream: NodeJS.WritableStream & { destroyed?: boolean }, { start, bytes, end }: Pouring): Promise<void> {
  stream.write(start);
  for (let sent = 0; sent < bytes && stream.destroyed !== true; sent += PIECE.length) await write(stream, PIECE);
  stream.end(end);
}

async function write(stream: NodeJS.WritableStream & { destroyed?: boolean }, piece: string | Buffer): Promise<void> {
  if (stream.destroyed === true || stream.write(piece)) return;
  await new Promise<void>((resolve) => {
    const goOn = () => {
      stream.off("drain", goOn).off("close", goOn);
      resolve();
    };
    stream.on("drain", goOn).on("close", goOn);
  });
}

async function drip(response: ServerResponse, text: string): Promise<void> {
  for (const character of text) {
    if (response.destroyed) return;
    response.write(character);
    await sleep(DRIP_MS);
  }
  response.end();
}
