/**
 * Answers requests whose head node:http has parsed before, on the same connection and as exactly one request: a client sends the same head again
 * and again, and only the body and its length differ. Everything else goes to node:http. The answer has the bytes that node:http would write.
 */

import type { IncomingMessage } from "node:http";
import type { HttpRequest } from "./exchange.ts";

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
