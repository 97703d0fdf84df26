/**
 * Answers requests whose head node:http has parsed before, on the same connection and as exactly one request: a client sends the same head again
 * and again, and only the body and its length differ. Everything else goes to node:http. The answer has the bytes that node:http would write.
 */

import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpRequest, HttpResponse } from "./exchange.ts";

/** Longer requests are left to node:http. In bytes. */
const LONGEST = 16 << 10;
/** An idle connection must not hold a long head. In bytes. */
const LONGEST_HEAD = 1 << 10;
const LENGTH = /^([^\0]*\r\ncontent-length: )(\d{1,5})(\r\n[^\0]*)$/i;

/** The same parts of each request with one head. */
type KnownRequest = Omit<HttpRequest, "work" | "readBody" | "body">;

export class KnownHead {
  readonly request: KnownRequest;
  /** as latin1, up to the digits of Content-Length */
  readonly #before: string;
  /** the rest, with the empty line */
  readonly #after: string;

  private constructor(request: KnownRequest, before: string, after: string) {
    this.request = request;
    this.#before = before;
    this.#after = after;
  }

  /**
   * @param head the bytes of a request's head, which are all that node:http has parsed for it besides its body
   * @returns undefined if node:http must parse the next request, too
   */
  static of(head: Buffer, message: IncomingMessage, remoteAddress: string): KnownHead | undefined {
    const { method, url: target, headers, httpVersion } = message;
    if (method !== "POST" || target === undefined || httpVersion !== "1.1" || head.length > LONGEST_HEAD) return undefined;
    const { connection = "keep-alive", expect, upgrade, "transfer-encoding": encoding, "content-length": _, ...others } = headers;
    if (`${connection}`.toLowerCase() !== "keep-alive" || expect !== undefined || upgrade !== undefined || encoding !== undefined)
      return undefined;
    const count = (wanted: string) => message.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === wanted).length;
    const [, before, , after] = LENGTH.exec(head.toString("latin1")) ?? [];
    if (count("content-length") !== 1 || before === undefined || after === undefined) return undefined;
    return new KnownHead({ method, target, headers: others, hosts: count("host"), isHttp10: false, remoteAddress }, before, after);
  }

  /** The body as latin1, if the bytes are one whole request with this head. */
  bodyOf(bytes: Buffer): string | undefined {
    if (bytes.length > LONGEST) return undefined;
    const text = bytes.toString("latin1");
    const from = this.#before.length;
    const to = text.indexOf("\r", from);
    const start = to + this.#after.length;
    if (!text.startsWith(this.#before) || !text.startsWith(this.#after, to)) return undefined;
    // as most clients write it: neither blanks nor leading zeros
    return text.slice(from, to) === `${text.length - start}` ? text.slice(start) : undefined;
  }
}

let second = 0;
let date = "";

/** The time of now, as node:http writes it. */
export function httpDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    date = new Date(now * 1000).toUTCString();
  }
  return date;
}

/** Takes the bytes of answers: node:http's response, or the socket of a request that it has not parsed. */
export interface Outgoing {
  readonly socket: Socket | null;
  writeHead(status: number, headers: string[]): unknown;
  write(part: Uint8Array): unknown;
  end(): unknown;
  once(event: "drain", goOn: () => void): unknown;
}

/** Writes the bytes that node:http would write for a request of HTTP/1.1. */
export class RawResponse implements Outgoing {
  readonly socket: Socket;
  readonly #keepAlive: string;
  /** as it was written */
  head = "";
  #isChunked = false;

  /** @param keepAliveMs how long an idle connection is kept */
  constructor(socket: Socket, keepAliveMs: number) {
    this.socket = socket;
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1000}\r\n`;
  }

  /** A whole answer in one piece. @param headers names and values, alternating */
  writeWhole(status: number, headers: readonly string[], body: HttpResponse["body"], length: number): void {
    const head = this.headOf(status, headers);
    const start = this.#isChunked && length > 0 ? `${head}${length.toString(16)}\r\n` : head;
    const end = this.#isChunked ? (length > 0 ? LAST_OF_MANY : LAST) : "";
    // node:http writes the head in the encoding of the first part of the body
    if (typeof body === "string") return void this.socket.write(start + body + end);
    const bytes = body === undefined ? NOTHING : Buffer.concat(body);
    if (length <= LONGEST_TEXT) this.socket.write(start + bytes.toString("latin1") + end, "latin1");
    else this.socket.write(Buffer.concat([Buffer.from(start, "latin1"), bytes, Buffer.from(end, "latin1")]));
  }

  writeHead(status: number, headers: readonly string[]): void {
    this.socket.write(this.headOf(status, headers), "latin1");
  }

  write(part: Uint8Array): void {
    if (!this.#isChunked) return void this.socket.write(part);
    this.socket.write(`${part.length.toString(16)}\r\n`, "latin1");
    this.socket.write(part);
    this.socket.write("\r\n", "latin1");
  }

  end(): void {
    if (this.#isChunked) this.socket.write(LAST, "latin1");
  }

  once(event: "drain", goOn: () => void): void {
    this.socket.once(event, goOn);
  }

  headOf(status: number, headers: readonly string[]): string {
    let lines = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    let hasLength = false;
    let closes = false;
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i]!;
      lines += `${name}: ${headers[i + 1]}\r\n`;
      hasLength ||= name === "Content-Length";
      closes ||= name === "Connection";
    }
    this.#isChunked = !hasLength;
    lines += `Date: ${httpDate()}\r\n`;
    if (!closes) lines += this.#keepAlive;
    if (!hasLength) lines += "Transfer-Encoding: chunked\r\n";
    this.head = `${lines}\r\n`;
    return this.head;
  }
}

const NOTHING = Buffer.alloc(0);
const LAST = "0\r\n\r\n";
const LAST_OF_MANY = `\r\n${LAST}`;
/** Bodies of bytes up to this many are written as text, with the head in one piece. */
const LONGEST_TEXT = 2048;
