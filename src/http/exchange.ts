/** One HTTP request and its response, as endpoints see them: without sockets, so that tests can pass plain values. */

import type { JsonText } from "../base/json/go-encode.ts";
import type { Work } from "../base/work/work.ts";
import type { BodyLimit } from "./mounted-request.ts";

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
  /** the same if it is there already, and within each limit */
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  /** names and values, alternating */
  readonly headers: readonly string[];
  readonly body: JsonText | undefined;
  /** headers with the heights of the committed state that the answer was made from; by default those of the newest known state */
  readonly heights?: readonly string[];
  /** the connection closes after this response */
  readonly closes?: true;
}

/** Makes the response to a request. A rejection closes the connection without one. */
export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** The parts of a request that identify its caller. */
export type Caller = Pick<HttpRequest, "headers" | "remoteAddress">;

/** Pays for the calls of a body, in compute units; throws or rejects with a RefusedRequest if they may not be answered. */
export type Pay = (computeUnits: number, calls?: { readonly changeNetwork: boolean }) => void | Promise<void>;

/** Why a request is not served. */
export interface Refusal {
  readonly status: number;
  /** says what was wrong and what would be right */
  readonly message: string;
}

export class RefusedRequest extends Error {
  readonly refusal: Refusal;
  /** the client's rate-limit headers, names and values alternating */
  readonly headers: readonly string[];

  constructor(refusal: Refusal, headers: readonly string[] = []) {
    super(refusal.message);
    this.refusal = refusal;
    this.headers = headers;
  }
}

export function refusalResponse({ refusal: { status, message }, headers }: RefusedRequest): HttpResponse {
  const response = errorResponse(status, message);
  return { ...response, headers: [...response.headers, ...headers] };
}

const TEXT_HEADERS = ["Content-Type", "text/plain; charset=utf-8"] as const;
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
