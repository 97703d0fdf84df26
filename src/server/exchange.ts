/** One HTTP request and its response, as endpoints see them: no sockets, so that every rule of the interface can be tested by value. */
import { FirnError } from "../primitives/errors.ts";
import type { JsonText } from "../rpc/go-json-encode.ts";
import type { HeightHeaders } from "./committed-states.ts";

export interface HttpRequest {
  readonly method: string;
  /** as sent: path and query, absolute form, or `*` */
  readonly target: string;
  /** lower-case names; of a repeated header the first value */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** number of Host headers */
  readonly hosts: number;
  readonly isHttp10: boolean;
  /** the whole body as latin1, one character per byte; rejects with a CutOffError */
  readBody(): Promise<string>;
}

/** The client went away, or sent more than is read, before its body was complete. */
export class CutOffError extends FirnError {
  constructor(reason: string) {
    super("cut-off", `the body of a request ended early: ${reason}`);
  }
}

export interface HttpResponse {
  readonly status: number;
  /** names and values in turn */
  readonly headers: readonly string[];
  readonly body: JsonText | undefined;
  /** of the committed state that the answer was made from; without it, those of the newest known one */
  readonly heights?: HeightHeaders;
  /** the connection ends with this response */
  readonly closes?: true;
}

export interface Endpoint {
  /** label of its metrics */
  readonly name: string;
  /** `query` has its `?` or is empty */
  handle(request: HttpRequest, query: string): HttpResponse | Promise<HttpResponse>;
}

export const TEXT_HEADERS = ["Content-Type", "text/plain; charset=utf-8"] as const;
const GUARDED_TEXT_HEADERS = [...TEXT_HEADERS, "X-Content-Type-Options", "nosniff"] as const;

/** Plain text of an API handler: no line break, no nosniff. */
export function textResponse(status: number, body: string): HttpResponse {
  return { status, headers: TEXT_HEADERS, body };
}

/** Plain text as Go's `http.Error` writes it. */
export function errorResponse(status: number, message: string): HttpResponse {
  return { status, headers: GUARDED_TEXT_HEADERS, body: `${message}\n` };
}

export function emptyResponse(status: number, headers: readonly string[] = []): HttpResponse {
  return { status, headers, body: undefined };
}

/** What Go's HTTP server says before any handler runs: none of the interface's headers, and the end of the connection. */
export function badRequest(reason?: string): HttpResponse {
  return {
    status: 400,
    headers: TEXT_HEADERS,
    body: reason === undefined ? "400 Bad Request" : `400 Bad Request: ${reason}`,
    closes: true,
  };
}
