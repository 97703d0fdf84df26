/**
 * JSON-RPC over a WebSocket: one connection, opened when it is needed and reopened after it broke. Heads are subscribed to on each
 * connection.
 */
import { type RawData, WebSocket } from "ws";
import { AnswerBody } from "./answer-body.ts";
import { type AnswerShare, WEB_SOCKET_BYTES } from "./answer-memory.ts";
import { callOf, failureOfReading, idOf } from "./json-rpc-message.ts";
import type { ArrivedAnswer, ExchangeLimits, Message, Transport } from "./transport.ts";
import { UpstreamError } from "./upstream-error.ts";

interface Pending {
  readonly message: Message;
  readonly limits: ExchangeLimits;
  resolve(answer: unknown): void;
  reject(error: UpstreamError): void;
}

/** doubled each time in vain: a node may have no WebSocket */
const RECONNECT_MS = 1_000;
const LONGEST_RECONNECT_MS = 60_000;
/** A node that takes the connection and says nothing may as well not be there. */
const HANDSHAKE_MS = 10_000;
const SUBSCRIBE_ID = 0;
/** bytes of a message that are read per turn */
const PIECE_BYTES = 2 ** 18;
/** If an answer is too long while several calls are under way, it is unknown whose it is, so calls are sent one by one for this long. */
const ALONE_MS = 60_000;

export class WebSocketTransport implements Transport {
  readonly #url: URL;
  /** by the ID of the message's first call */
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<() => void>();
  #opened: Promise<WebSocket> | undefined;
  /** of `#opened`, even while it connects */
  #socket: WebSocket | undefined;
  #isClosed = false;
  #reconnectMs = RECONNECT_MS;
  #reconnecting: NodeJS.Timeout | undefined;
  #aloneUntil = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(url: URL) {
    this.#url = url;
  }

  exchange(message: Message, limits: ExchangeLimits): Promise<ArrivedAnswer> {
    if (performance.now() >= this.#aloneUntil) return this.#exchange(message, limits);
    const exchanged = this.#last.then(() => this.#exchange(message, limits));
    this.#last = exchanged.catch(() => {});
    return exchanged;
  }

  async #exchange(message: Message, limits: ExchangeLimits): Promise<ArrivedAnswer> {
    const { timeoutMs, signal } = limits;
    let timer: NodeJS.Timeout | undefined;
    let giveUp: (() => void) | undefined;
    try {
      const answer = await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(new UpstreamError("timeout", `the node did not answer within ${timeoutMs / 1000} s`)), timeoutMs);
        giveUp = () => reject(new UpstreamError("aborted", "the caller gave up"));
        if (signal?.aborted) giveUp();
        signal?.addEventListener("abort", giveUp);
        this.#pending.set(message.firstId, { message, limits, resolve, reject });
        this.#open().then((socket) => socket.send(message.body), reject);
      });
      // parsed as it arrived, since only its IDs say whose it is
      return { shared: () => undefined, read: () => answer, release() {} };
    } finally {
      clearTimeout(timer);
      if (giveUp !== undefined) signal?.removeEventListener("abort", giveUp);
      this.#pending.delete(message.firstId);
    }
  }

  /** Calls back after each new head until the signal is aborted. */
  subscribe(onHead: () => void, signal: AbortSignal): void {
    this.#listeners.add(onHead);
    signal.addEventListener("abort", () => this.#listeners.delete(onHead));
    this.#keepOpen();
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#socket?.terminate();
  }

  #keepOpen(): void {
    if (this.#isClosed || this.#listeners.size === 0) return;
    this.#open().then(
      (socket) => socket.send(JSON.stringify({ jsonrpc: "2.0", id: SUBSCRIBE_ID, method: "eth_subscribe", params: ["newHeads"] })),
      () => this.#reconnectLater(),
    );
  }

  #reconnectLater(): void {
    if (this.#isClosed || this.#listeners.size === 0 || this.#reconnecting !== undefined) return;
    this.#reconnecting = setTimeout(() => {
      this.#reconnecting = undefined;
      this.#keepOpen();
    }, this.#reconnectMs).unref();
    this.#reconnectMs = Math.min(2 * this.#reconnectMs, LONGEST_RECONNECT_MS);
  }

  #open(): Promise<WebSocket> {
    if (this.#isClosed) return Promise.reject(new UpstreamError("unavailable", "the connection was closed"));
    this.#opened ??= new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url, { maxPayload: WEB_SOCKET_BYTES, handshakeTimeout: HANDSHAKE_MS });
      this.#socket = socket;
      let failure: Error | undefined;
      socket.on("open", () => {
        this.#reconnectMs = RECONNECT_MS;
        resolve(socket);
      });
      socket.on("message", (data) => void this.#onMessage(data as Buffer));
      socket.on("error", (cause: Error & { code?: string }) => {
        const isTooLong = cause.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
        failure = cause;
        socket.emit("close", isTooLong ? TOO_LONG : 0, Buffer.from(cause.message));
      });
      socket.once("close", (code: number, reason: Buffer) => {
        this.#opened = undefined;
        const error = this.#endOf(code, reason, failure);
        reject(error);
        for (const pending of this.#pending.values()) pending.reject(error);
        this.#reconnectLater();
      });
    });
    return this.#opened;
  }

  #endOf(code: number, reason: Buffer, cause: Error | undefined): UpstreamError {
    if (code === TOO_LONG) {
      if (this.#pending.size === 1) return new UpstreamError("too-large", `the node's answer is longer than ${WEB_SOCKET_BYTES} bytes`);
      this.#aloneUntil = performance.now() + ALONE_MS;
    }
    return new UpstreamError("unavailable", `the connection to the node ended: ${reason.toString("utf8") || "closed"}`, {
      ...(cause !== undefined && { cause }),
    });
  }

  async #onMessage(data: RawData): Promise<void> {
    // a message that nobody waits for is not an answer
    const memory = [...this.#pending.values()][0]?.limits.memory;
    const share = memory?.open();
    try {
      const answer = await this.#read(data as Buffer, share);
      this.#take(answer);
    } catch (error) {
      this.#rejectAll(failureOfReading(error as Error, "a call"));
    } finally {
      share?.release();
    }
  }

  async #read(data: Buffer, share: AnswerShare | undefined): Promise<unknown> {
    const body = new AnswerBody(share ?? { hold: () => undefined, release() {} }, (id) => this.#callOf(id));
    for (let at = 0; at < data.length; at += PIECE_BYTES) {
      await body.write(data.subarray(at, at + PIECE_BYTES));
    }
    await body.turnToEnd();
    return body.end();
  }

  #callOf(id: unknown) {
    for (const { message } of this.#pending.values()) {
      const call = callOf(message, id);
      if (call !== undefined && (id !== undefined || this.#pending.size === 1)) return call;
    }
    return undefined;
  }

  #take(answer: unknown): void {
    const first = (Array.isArray(answer) ? answer[0] : answer) as { id?: unknown; method?: unknown } | undefined;
    if (first?.method === "eth_subscription") {
      for (const onHead of this.#listeners) onHead();
      return;
    }
    const id = firstIdOf(answer);
    if (id === SUBSCRIBE_ID && !Array.isArray(answer)) return;
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (pending !== undefined) pending.resolve(answer);
    else this.#rejectAll(new UpstreamError("malformed", "the node sent an answer without a request"));
  }

  /** Rejects all calls, since it is unknown whose answer it is. */
  #rejectAll(error: UpstreamError): void {
    for (const waiting of this.#pending.values()) waiting.reject(error);
  }
}

/** WebSocket close code for a message that is too long */
const TOO_LONG = 1009;

/** The lowest ID of a batch, whose replies may come in any order. */
function firstIdOf(answer: unknown): number | undefined {
  let lowest: number | undefined;
  for (const reply of Array.isArray(answer) ? answer : [answer]) {
    const id = idOf((reply as { readonly id?: unknown } | null | undefined)?.id);
    if (id !== undefined && (lowest === undefined || id < lowest)) lowest = id;
  }
  return lowest;
}
