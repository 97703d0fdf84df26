/** Writes answers without node:http, for requests that it has not parsed, with the bytes that it would write. */

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpResponse } from "./exchange.ts";

let second = 0;
let date = "";

/** The time of now, as node:http writes it. */
function httpDate(): string {
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
  #isChunked = false;

  /** @param keepAliveMs how long an idle connection is kept */
  constructor(socket: Socket, keepAliveMs: number) {
    this.socket = socket;
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1000}\r\n`;
  }

  /** A whole answer in one piece. @param headers names and values, alternating */
  writeWhole(status: number, headers: readonly string[], body: HttpResponse["body"], length: number): void {
    const head = this.#headOf(status, headers);
    const start = this.#isChunked && length > 0 ? `${head}${length.toString(16)}\r\n` : head;
    const end = this.#isChunked ? (length > 0 ? LAST_OF_MANY : LAST) : "";
    // node:http writes the head in the encoding of the first part of the body
    if (typeof body === "string") return void this.socket.write(start + body + end);
    const bytes = body === undefined ? NOTHING : Buffer.concat(body);
    if (length <= LONGEST_TEXT) this.socket.write(start + bytes.toString("latin1") + end, "latin1");
    else this.socket.write(Buffer.concat([Buffer.from(start, "latin1"), bytes, Buffer.from(end, "latin1")]));
  }

  writeHead(status: number, headers: readonly string[]): void {
    this.socket.write(this.#headOf(status, headers), "latin1");
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

  #headOf(status: number, headers: readonly string[]): string {
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
    return `${lines}\r\n`;
  }
}

const NOTHING = Buffer.alloc(0);
const LAST = "0\r\n\r\n";
const LAST_OF_MANY = `\r\n${LAST}`;
/** Bodies of bytes up to this many are written as text, with the head in one piece. */
const LONGEST_TEXT = 2048;
