/** Writes the node's answers as Go's server does: long bodies in chunks, short ones with a Content-Length. */
import type { ServerResponse } from "node:http";
import { send } from "./answers.ts";
import type { HttpResponse } from "./exchange.ts";

/** Go's server sends longer bodies in chunks. In bytes. */
const LONGEST_UNCHUNKED = 2048;

export function respond(response: ServerResponse, { status, headers, body, closes, reusable }: HttpResponse): void {
  const length = bodyLength(body);
  const all = length <= LONGEST_UNCHUNKED ? headers.concat("Content-Length", length.toString()) : headers.slice();
  if (closes) all.push("Connection", "close");
  send(response, { status, headers: all, body, length, isLast: closes === true, reusable });
}

export function bodyLength(body: HttpResponse["body"]): number {
  if (body === undefined) return 0;
  if (typeof body === "string") return Buffer.byteLength(body);
  return body.reduce((sum, part) => sum + part.length, 0);
}
