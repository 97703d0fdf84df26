/**
 * Sends hostile WebSocket frames to a devnet. It must keep running, accept new connections, and answer a good client between them
 * correctly. Violations are returned.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import { stopwatch } from "../patience.ts";
import { Random } from "./mutate.ts";
import { randomFrames } from "./web-socket-frames.ts";

export interface WebSocketFuzzOptions {
  /** of the C-chain's WebSockets */
  readonly url: string;
  /** what `eth_chainId` says */
  readonly chainId: string;
  readonly count: number;
  readonly seed: number;
}

export interface WebSocketFuzzResult {
  readonly problems: readonly string[];
  readonly frames: number;
  readonly connections: number;
  /** answers of the good client */
  readonly goodAnswers: number;
  readonly slowestMs: number;
}

const PARALLEL = 8;
const FRAMES_OF_A_CONNECTION = 16;
const FRAMES_BETWEEN_GOOD_CALLS = 100;

export async function fuzzWebSockets({ url, chainId, count, seed }: WebSocketFuzzOptions): Promise<WebSocketFuzzResult> {
  const random = new Random(seed);
  const problems: string[] = [];
  const good = new GoodClient(url, chainId);
  let [frames, connections, left] = [0, 0, count];
  const attack = async () => {
    while (left > 0) {
      connections++;
      const socket = await open(new URL(url)).catch((error: Error) => void problems.push(error.message));
      if (socket === undefined) return;
      for (let sent = 0; sent < FRAMES_OF_A_CONNECTION && left > 0 && socket.writable; sent++) {
        left--;
        if (++frames % FRAMES_BETWEEN_GOOD_CALLS === 0) await good.ask().catch((error: Error) => void problems.push(error.message));
        socket.write(randomFrames(random));
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (random.below(2) === 0) socket.end();
      else socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, attack));
  await good.ask().catch((error: Error) => void problems.push(error.message));
  good.close();
  return { problems, frames, connections, goodAnswers: good.answers, slowestMs: good.slowestMs };
}

class GoodClient {
  readonly #socket: WebSocket;
  readonly #chainId: string;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #lastId = 0;
  answers = 0;
  slowestMs = 0;

  constructor(url: string, chainId: string) {
    this.#chainId = chainId;
    this.#socket = new WebSocket(url).on("message", (data) => {
      const { id, result } = JSON.parse(data.toString());
      this.#waiting.get(id)?.(result);
    });
  }

  async ask(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CONNECTING) await once(this.#socket, "open");
    const id = ++this.#lastId;
    const elapsed = stopwatch();
    const answered = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "eth_chainId", params: [] }));
    const result = await answered;
    this.slowestMs = Math.max(this.slowestMs, elapsed());
    this.answers++;
    if (result !== this.#chainId) throw new Error(`a good call between hostile frames was answered with ${result}`);
  }

  close(): void {
    this.#socket.close();
  }
}

/** After the handshake; what comes back is read and forgotten. */
async function open({ hostname, port, pathname, host }: URL): Promise<Socket> {
  const socket = connect(Number(port), hostname).on("error", () => {});
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const [data] = (await once(socket, "data")) as [Buffer];
  const answer = data.toString("latin1").slice(0, "HTTP/1.1 101".length);
  if (answer !== "HTTP/1.1 101" && answer !== "HTTP/1.1 503") throw new Error(`a handshake was answered with ${answer}`);
  return socket.on("data", () => {});
}
