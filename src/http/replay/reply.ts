/** An answer whose bytes can answer the same request again, with the time of now, and with the ID of the call. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { LONGEST_TOGETHER } from "../answers.ts";
import { type Asked, ID_START } from "./asked.ts";

/** Keeps what depends on one committed state. */
export interface AnswerCache {
  find<T>(name: string): T | undefined;
  keep(name: string, value: unknown): void;
}

/** What makes an answer reusable: it depends only on the request, a committed state, and what never changes while the process runs. */
export interface Reusable {
  /** of the state that it was made from */
  readonly cache: AnswerCache;
  /** where the call's ID is in the body; undefined: the answer has no ID */
  readonly id?: { readonly start: number; readonly raw: string };
  /** whether it still holds; by default it does for as long as the state is the newest */
  holds?(): boolean;
  /** Counts an answer in metrics. */
  count(seconds: number): void;
}

export interface Reply {
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

/** node:http writes the time with as many characters, whatever it is. */
const DATE = /\r\nDate: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\r\n/;
const DATE_NAME = "\r\nDate: ";
const LINE_END = "\r\n";
const KEEP_ALIVE = "\r\nConnection: keep-alive\r\n";
const CHUNKED = "\r\nTransfer-Encoding: chunked\r\n";

/** The head that node:http wrote; it has no public name. */
type WrittenResponse = ServerResponse & { readonly _header?: string | null };

/**
 * Call this after the answer was written.
 * @param body latin1
 * @returns undefined if its bytes cannot be used again
 */
export function replyOf(response: ServerResponse, body: string, { id }: Asked, { id: sent, holds, count }: Reusable): Reply | undefined {
  const head = (response as WrittenResponse)._header;
  if (typeof head !== "string" || response.statusCode !== 200 || !isOrdinary(response.req)) return undefined;
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
export function writtenReply({ form }: Reply, id: string): string | Buffer {
  const now = httpDate();
  if ("start" in form) return form.start + now + form.middle + id + form.end;
  if (form.date !== now) {
    form.bytes = Buffer.from(form.bytes);
    form.bytes.write(now, form.dateAt, "latin1");
    form.date = now;
  }
  return form.bytes;
}

let second = 0;
let date = "";

function httpDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    date = new Date(now * 1000).toUTCString();
  }
  return date;
}
