/** JSON-RPC over a WebSocket: one connection, made when it is needed and again after it broke; heads are subscribed to on each. */
import { type RawData, WebSocket } from "ws";
import { EvmRpcError } from "./evm-rpc-error.ts";
import type { Message } from "./json-rpc-message.ts";
import type { ExchangeLimits, Transport } from "./transport.ts";

interface Pending {
  resolve(answer: unknown): void;
  reject(error: EvmRpcError): void;
}

const RECONNECT_MS = 1_000;
const SUBSCRIBE_ID = 0;

export class WebSocketTransport implements Transport {
  readonly #url: URL;
  readonly #maxAnswerBytes: number;
  /** by the ID of the message's first call */
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<() => void>();
  #opened: Promise<WebSocket> | undefined;
  #isClosed = false;

  constructor(url: URL, maxAnswerBytes: number) {
    this.#url = url;
    this.#maxAnswerBytes = maxAnswerBytes;
  }

  async exchange(message: Message, { timeoutMs, signal }: ExchangeLimits): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    let giveUp: (() => void) | undefined;
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(new EvmRpcError("timeout", `the node did not answer within ${timeoutMs / 1000} s`)), timeoutMs);
        giveUp = () => reject(new EvmRpcError("aborted", "the caller gave up"));
        if (signal?.aborted) giveUp();
        signal?.addEventListener("abort", giveUp);
        this.#pending.set(message.firstId, { resolve, reject });
        this.#open().then((socket) => socket.send(message.body), reject);
      });
    } finally {
      clearTimeout(timer);
      if (giveUp !== undefined) signal?.removeEventListener("abort", giveUp);
      this.#pending.delete(message.firstId);
    }
  }

  /** Calls back after each new head, as long as the signal lasts. */
  subscribe(onHead: () => void, signal: AbortSignal): void {
    this.#listeners.add(onHead);
    signal.addEventListener("abort", () => this.#listeners.delete(onHead));
    this.#keepOpen();
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#opened?.then(
      (socket) => socket.terminate(),
      () => {},
    );
  }

  #keepOpen(): void {
    if (this.#isClosed || this.#listeners.size === 0) return;
    this.#open().then(
      (socket) => socket.send(JSON.stringify({ jsonrpc: "2.0", id: SUBSCRIBE_ID, method: "eth_subscribe", params: ["newHeads"] })),
      () => this.#reconnectLater(),
    );
  }

  #reconnectLater(): void {
    if (!this.#isClosed && this.#listeners.size > 0) setTimeout(() => this.#keepOpen(), RECONNECT_MS).unref();
  }

  #open(): Promise<WebSocket> {
    if (this.#isClosed) return Promise.reject(new EvmRpcError("unavailable", "the connection was closed"));
    this.#opened ??= new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url, { maxPayload: this.#maxAnswerBytes });
      socket.on("open", () => resolve(socket));
      socket.on("message", (data) => this.#onMessage(data));
      socket.on("error", (cause) => socket.emit("close", 0, Buffer.from(cause.message)));
      socket.once("close", (_: number, reason: Buffer) => {
        const error = new EvmRpcError("unavailable", `the connection to the node ended: ${reason.toString("utf8") || "closed"}`);
        this.#opened = undefined;
        reject(error);
        for (const pending of this.#pending.values()) pending.reject(error);
        this.#reconnectLater();
      });
    });
    return this.#opened;
  }

  #onMessage(data: RawData): void {
    const answer = parse(data);
    const first = (Array.isArray(answer) ? answer[0] : answer) as { id?: unknown; method?: unknown } | undefined;
    if (first?.method === "eth_subscription") {
      for (const onHead of this.#listeners) onHead();
      return;
    }
    const id = Array.isArray(answer)
      ? Math.min(...answer.map((reply: { id?: unknown } | null) => Number(reply?.id ?? Number.NaN)))
      : Number(first?.id ?? Number.NaN);
    if (id === SUBSCRIBE_ID && first?.id === SUBSCRIBE_ID) return;
    const pending = this.#pending.get(id);
    if (pending !== undefined) pending.resolve(answer);
    // nobody can tell whose it is
    else
      for (const waiting of this.#pending.values()) waiting.reject(new EvmRpcError("malformed", "the node sent an answer to no question"));
  }
}

function parse(data: RawData): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}
