/**
 * Recognizes requests whose head node:http has parsed before, on the same connection and as exactly one request: a client sends the same few
 * heads again and again, and only the body and its length differ. Everything else goes to node:http.
 */

import type { IncomingMessage } from "node:http";
import type { HttpRequest } from "./exchange.ts";

/** Longer requests are left to node:http. In bytes. */
const LONGEST = 16 << 10;
/** An idle connection must hold little: so many heads, of so many bytes. A wallet's go to P, X, C and info. */
const MOST_HEADS = 4;
const LONGEST_HEAD = 1 << 10;
const LENGTH = /^([^\0]*\r\ncontent-length: )(\d{1,5})(\r\n[^\0]*)$/i;

/** The same parts of each request with one head. */
type KnownRequest = Omit<HttpRequest, "work" | "readBody" | "body">;

interface Found {
  readonly request: KnownRequest;
  /** latin1 */
  readonly body: string;
}

/** The heads that a connection has sent, the newest first. */
export class KnownHeads {
  #heads: readonly KnownHead[] = [];

  /** Call this with each head that node:http has parsed; the parameters are those of `KnownHead.of`. */
  learn(...parsed: Parameters<typeof KnownHead.of>): void {
    const head = KnownHead.of(...parsed);
    if (head !== undefined) this.#heads = [head, ...this.#heads.slice(0, MOST_HEADS - 1)];
  }

  /** Finds the request in the bytes, if they are one whole request with one of the heads. */
  find(bytes: Buffer): Found | undefined {
    if (this.#heads.length === 0 || bytes.length > LONGEST) return undefined;
    const text = bytes.toString("latin1");
    for (const head of this.#heads) {
      const body = head.bodyOf(text);
      if (body !== undefined) return { request: head.request, body };
    }
    return undefined;
  }
}

class KnownHead {
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

  /** The body, if the text is one whole request with this head. */
  bodyOf(text: string): string | undefined {
    if (!text.startsWith(this.#before)) return undefined;
    const from = this.#before.length;
    const to = text.indexOf("\r", from);
    if (!text.startsWith(this.#after, to)) return undefined;
    const start = to + this.#after.length;
    // as most clients write it: neither blanks nor leading zeros
    return text.slice(from, to) === `${text.length - start}` ? text.slice(start) : undefined;
  }
}
