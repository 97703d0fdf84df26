/** One HTTP request and its response, as endpoints see them: without sockets, so that tests can pass plain values. */

import type { JsonText } from "../go-json/encode.ts";
import type { Work } from "../limits/work.ts";
import type { HeightHeaders } from "../node/committed-states.ts";
import type { BodyLimit } from "../node/mounted-request.ts";
import type { Reusable } from "./replay/reply.ts";
import type { RequestAccount } from "./request-account.ts";

export interface HttpRequest {
  readonly method: string;
  /** as sent: path and query, absolute form, or `*` */
  readonly target: string;
  /** lower-case names; a repeated header has its first value */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** number of Host headers */
  readonly hosts: number;
  readonly isHttp10: boolean;
  /** the request's turns, and the client that they count for */
  readonly work: Work;
  /** address of the connection; empty if it is closed */
  readonly remoteAddress: string;
  /**
   * Reads the whole body as latin1, one character per byte, up to a limit, by default `bodyBytes`. Rejects with a CutOffError, or with a
   * LimitError, which the pipeline answers.
   */
  readBody(limit?: BodyLimit): Promise<string>;
}

export interface HttpResponse {
  readonly status: number;
  /** names and values, alternating */
  readonly headers: readonly string[];
  readonly body: JsonText | undefined;
  /** heights of the committed state that the answer was made from; by default those of the newest known state */
  readonly heights?: HeightHeaders;
  /** the connection closes after this response */
  readonly closes?: true;
  /** set if the same bytes may answer the same request again */
  readonly reusable?: Reusable | undefined;
}

export interface Endpoint {
  /** label in metrics */
  readonly name: string;
  /** lowest price of a request, in compute units; 0 if the endpoint is open to everybody */
  readonly leastUnits: number;
  /** privilege that a key needs; by default none */
  readonly privilege?: string | undefined;
  /**
   * `query` starts with `?` or is empty. `account` pays for what is asked; it is undefined where nothing is counted. The pipeline handles
   * what this throws.
   */
  handle(request: HttpRequest, query: string, account?: RequestAccount): HttpResponse | Promise<HttpResponse>;
}

export const TEXT_HEADERS = ["Content-Type", "text/plain; charset=utf-8"] as const;
const GUARDED_TEXT_HEADERS = [...TEXT_HEADERS, "X-Content-Type-Options", "nosniff"] as const;

/** Plain text as API handlers write it: without a line break and without nosniff. */
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

/** The response of Go's HTTP server before any handler runs: without the interface's headers, and it closes the connection. */
export function badRequest(reason?: string): HttpResponse {
  return {
    status: 400,
    headers: TEXT_HEADERS,
    body: reason === undefined ? "400 Bad Request" : `400 Bad Request: ${reason}`,
    closes: true,
  };
}
