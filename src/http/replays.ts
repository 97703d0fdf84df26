/**
 * Answers requests again without parsing them. node:http has parsed the same bytes before, as exactly one request on a connection that
 * waited for one, and the answer depended on nothing that has changed since. Everything else goes to node:http.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { Recent } from "../base/collections/bounded-cache.ts";
import { type Answer, LONGEST_TOGETHER } from "./answers.ts";
import type { AnswerCache, Reusable } from "./exchange.ts";
import { httpDate } from "./known-heads.ts";

// The bytes of a request as a name of its answer. A call whose JSON begins as most clients write it has its ID left out of the name, since
// clients count their calls.

export interface Asked {
  /** `NAME`, and all bytes as latin1, with the number of digits in place of `id`: the body must be as long as its head says */
  readonly key: string;
  /** the digits of the ID; empty if the name includes it */
  readonly id: string;
}

/** Nothing else that is kept with a state has a name that begins like this. */
const NAME = "request ";
/** Longer requests are not named. In bytes. */
const LONGEST_NAMED = 2048;
const CALL = '{"jsonrpc":"2.0","id":';
/** Longer numbers are not read. */
const MOST_DIGITS = 15;
/** Where the ID is, in characters of the body. */
const ID_START = CALL.length;

/** undefined: these bytes are surely not one request that an answer may be kept for */
export function askedOf(bytes: Buffer): Asked | undefined {
  if (bytes.length > LONGEST_NAMED) return undefined;
  const text = bytes.toString("latin1");
  const body = text.indexOf("\r\n\r\n") + 4;
  if (!text.startsWith(CALL, body)) return { key: NAME + text, id: "" };
  const from = body + CALL.length;
  let to = from;
  while (to - from <= MOST_DIGITS && isDigit(text.charCodeAt(to))) to++;
  const length = to - from;
  // a number may have no leading zero
  if (length === 0 || length > MOST_DIGITS || (length > 1 && text.charCodeAt(from) === ZERO)) return undefined;
  return { key: `${NAME}${text.slice(0, from)}${length}${text.slice(to)}`, id: text.slice(from, to) };
}

const ZERO = 0x30;

function isDigit(c: number): boolean {
  return c >= ZERO && c <= 0x39;
}

interface Reply {
  /** without an ID all bytes are the same until the clock shows another second */
  readonly form: ReplyText | ReplyBytes;
  readonly holds: (() => boolean) | undefined;
  readonly count: (seconds: number) => void;
}

/** All texts are latin1. */
interface ReplyText {
  /** the head up to the value of Date */
  readonly start: string;
  /** the rest of the head, and the body up to the call's ID */
  readonly middle: string;
  readonly end: string;
}

interface ReplyBytes {
  /** Shared by all connections that it is written to, so it never changes: another second has its own. */
  bytes: Buffer;
  /** the value of Date in them */
  date: string;
  /** where that is */
  readonly dateAt: number;
}

const OK = "HTTP/1.1 200 ";
/** node:http writes the time with as many characters, whatever it is. */
const DATE = /\r\nDate: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\r\n/;
const DATE_NAME = "\r\nDate: ";
const LINE_END = "\r\n";
const KEEP_ALIVE = "\r\nConnection: keep-alive\r\n";
const CHUNKED = "\r\nTransfer-Encoding: chunked\r\n";

/** The head that node:http wrote; it has no public name. */
type WrittenResponse = ServerResponse & { readonly _header?: string | null };

/** undefined: something else than node:http wrote the answer, or no answer of the kind that can be given again */
export function headWritten(response: ServerResponse): string | undefined {
  const head = (response as WrittenResponse)._header;
  return typeof head === "string" && isOrdinary(response.req) ? head : undefined;
}

/**
 * @param head as it was written
 * @param body latin1
 * @returns undefined if its bytes cannot be used again
 */
function replyOf(head: string, body: string, { id }: Asked, { id: sent, holds, count }: Reusable): Reply | undefined {
  if (!head.startsWith(OK)) return undefined;
  const date = DATE.exec(head);
  const frame = frameOf(head, body.length);
  if (date === null || frame === undefined || !head.includes(KEEP_ALIVE)) return undefined;
  const dateAt = date.index + DATE_NAME.length;
  const valueEnd = date.index + date[0].length - LINE_END.length;
  if (id === "") {
    const bytes = Buffer.from(head + frame[0] + body + frame[1], "latin1");
    return { form: { bytes, date: head.slice(dateAt, valueEnd), dateAt }, holds, count };
  }
  const end = `${id}}\n`;
  if (sent === undefined || sent.start !== ID_START || sent.raw !== id || !body.endsWith(`,"id":${end}`)) return undefined;
  const middle = head.slice(valueEnd) + frame[0] + body.slice(0, -end.length);
  return { form: { start: head.slice(0, dateAt), middle, end: `}\n${frame[1]}` }, holds, count };
}

/** Whether node:http writes the answer, and nothing else. */
function isOrdinary({ method, headers: { expect, upgrade } }: IncomingMessage): boolean {
  return (method === "POST" || method === "GET") && expect === undefined && upgrade === undefined;
}

/** What node:http writes before and after a body that is sent at once; undefined: it ends the body in another way. */
function frameOf(head: string, length: number): readonly [string, string] | undefined {
  if (head.includes(`\r\nContent-Length: ${length}\r\n`)) return ["", ""];
  // a longer one has several chunks
  if (head.includes(CHUNKED) && length > 0 && length <= LONGEST_TOGETHER) return [`${length.toString(16)}\r\n`, "\r\n0\r\n\r\n"];
  return undefined;
}

/** With the time of now. A text is latin1. */
function writtenReply({ form }: Reply, id: string): string | Buffer {
  const now = httpDate();
  if ("start" in form) return form.start + now + form.middle + id + form.end;
  if (form.date !== now) {
    form.bytes = Buffer.from(form.bytes);
    form.bytes.write(now, form.dateAt, "latin1");
    form.date = now;
  }
  return form.bytes;
}

/** Only what is asked a second time is kept. */
const ASKED_ONCE = 1024;
/** Longer bodies are not kept: of calls with an ID, which are put together for each client, and of others, whose bytes all clients share. In bytes. */
const MOST_WITH_ID = LONGEST_TOGETHER;
const MOST = 256 << 10;

/** The committed states that answers depend on. */
interface AnswerStates {
  /** the newest state; undefined: it is not known at the moment */
  inUse(): { readonly cache: AnswerCache } | undefined;
  /** of the state that was the newest one when it was known last */
  readonly lastCache: AnswerCache;
  /** Makes the newest state known. */
  load(): Promise<void>;
}

export class Replays {
  readonly #states: AnswerStates;
  /** answers given */
  given = 0;
  readonly #askedOnce = new Recent<string, true>(ASKED_ONCE);

  constructor(states: AnswerStates) {
    this.#states = states;
  }

  /** Loads the committed state if only that is missing to give an answer again; undefined: it is known, or there is no answer. */
  load({ key }: Asked): Promise<void> | undefined {
    if (this.#states.inUse() !== undefined || this.#states.lastCache.find(key) === undefined) return undefined;
    return this.#states.load();
  }

  /** The answer, a text as latin1; undefined: none is kept. */
  find({ key, id }: Asked): string | Buffer | undefined {
    const cache = this.#states.inUse()?.cache;
    if (cache === undefined) return undefined;
    const startedAt = performance.now();
    const reply = cache.find<Reply>(key);
    if (reply === undefined || reply.holds?.() === false) return undefined;
    const written = writtenReply(reply, id);
    this.given++;
    reply.count((performance.now() - startedAt) / 1000);
    return written;
  }

  /** Call this after the answer to exactly these bytes was written. @param head as it was written */
  keep(asked: Asked, head: string, { body, length }: Pick<Answer, "body" | "length">, reusable: Reusable): void {
    if (length > (asked.id === "" ? MOST : MOST_WITH_ID)) return;
    if (this.#askedOnce.get(asked.key) === undefined) {
      this.#askedOnce.set(asked.key, true);
      return;
    }
    const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.concat(body ?? []);
    const reply = replyOf(head, bytes.toString("latin1"), asked, reusable);
    if (reply !== undefined) reusable.cache.keep(asked.key, reply);
  }
}
