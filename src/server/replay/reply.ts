/** An answer whose bytes can answer the same request again, with the time of now, and with the ID of the call. */
import type { ServerResponse } from "node:http";
import type { AnswerCache } from "../../node/answer-cache.ts";
import { type Asked, ID_START } from "./asked.ts";

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

/** All texts are latin1. */
export interface Reply {
  /** the head up to the value of Date */
  readonly start: string;
  /** the rest of the head, and the body up to the call's ID */
  readonly middle: string;
  readonly end: string;
  readonly holds: (() => boolean) | undefined;
  readonly count: (seconds: number) => void;
}

/** node:http writes the time with as many characters, whatever it is. */
const DATE = /\r\nDate: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\r\n/;
const DATE_NAME = "\r\nDate: ";
const LINE_END = "\r\n";

/** The head that node:http wrote; it has no public name. */
type WrittenResponse = ServerResponse & { readonly _header?: string | null };

/** Call this after the answer was written. @returns undefined if its bytes cannot be used again */
export function replyOf(response: ServerResponse, body: string, { id }: Asked, { id: sent, holds, count }: Reusable): Reply | undefined {
  const head = (response as WrittenResponse)._header;
  if (typeof head !== "string" || !response.shouldKeepAlive || response.statusCode !== 200) return undefined;
  // node:http writes more than the answer for these
  const { expect, upgrade } = response.req.headers;
  if (expect !== undefined || upgrade !== undefined) return undefined;
  const date = DATE.exec(head);
  if (date === null) return undefined;
  const at = date.index;
  const [start, rest] = [head.slice(0, at + DATE_NAME.length), head.slice(at + date[0].length - LINE_END.length)];
  if (id === "") return { start, middle: rest + body, end: "", holds, count };
  const end = `${id}}\n`;
  if (sent === undefined || sent.start !== ID_START || sent.raw !== id || !body.endsWith(`,"id":${end}`)) return undefined;
  return { start, middle: rest + body.slice(0, -end.length), end: "}\n", holds, count };
}

export function replyText({ start, middle, end }: Reply, id: string): string {
  return start + httpDate() + middle + id + end;
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
