/**
 * Processes every request in the node's order (rpc-avm-info-health 1.2): checks of Go's HTTP server, CORS, host filter, header routing,
 * path routing, endpoint. Every response that passes the first step has the node's headers.
 */

import type { CommittedStates } from "../api/state/committed-states.ts";
import { FirnError } from "../base/errors/errors.ts";
import { LimitError } from "../base/work/work.ts";
import { type Cors, headerOf, PREFLIGHT_VARY } from "../http/cors.ts";
import {
  badRequest,
  emptyResponse,
  errorResponse,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  RefusedRequest,
  refusalResponse,
} from "../http/exchange.ts";
import { type HostFilter, isWellFormedHost } from "../http/host-filter.ts";
import { CutOffError } from "../http/mounted-request.ts";
import type { Reusable } from "../http/replay/reply.ts";
import { statusOfRefusedBody } from "../http/request-body.ts";
import { cleanPath, parseTarget, type RequestTarget, redirectLocation } from "../http/request-target.ts";
import { outageOf } from "../store/outage.ts";
import type { Endpoint } from "./endpoint.ts";
import type { NodeAccess, RequestAccount } from "./request-account.ts";

export interface PipelineOptions {
  readonly cors: Cors;
  readonly hostFilter: HostFilter;
  readonly states: CommittedStates;
  /** access control and rate limits; undefined: everybody may ask */
  readonly access?: NodeAccess | undefined;
  /** undefined: the header is not sent */
  readonly nodeId: string | undefined;
  /** whether the page that asks may not use this path */
  isClosedTo(path: string, request: HttpRequest): boolean;
  route(path: string): Endpoint | undefined | Promise<Endpoint | undefined>;
  /** called for every response */
  onResponse(endpoint: string, status: number): void;
  /** called with errors that an endpoint did not answer */
  onDefect(error: unknown, endpoint: string): void;
}

export function pipeline(options: PipelineOptions): Handler {
  const { cors } = options;
  const withHeaders = headerMaker(options);

  function finish(endpoint: string, response: HttpResponse, corsHeaders: readonly string[]): HttpResponse {
    options.onResponse(endpoint, response.status);
    const { status, body, closes, reusable } = response;
    const headers = withHeaders(response, corsHeaders);
    if (closes) return { status, headers, body, closes };
    // where somebody pays, each request is counted for its client
    if (reusable === undefined || options.access !== undefined) return { status, headers, body };
    return { status, headers, body, reusable: counted(endpoint, reusable) };
  }

  /** Counts also answers that do not come through here. */
  function counted(endpoint: string, { count, ...reusable }: Reusable): Reusable {
    return {
      ...reusable,
      count(seconds) {
        options.onResponse(endpoint, 200);
        count(seconds);
      },
    };
  }

  /** Answers a body that a limit refuses. After a cut-off body or a defect, the node closes the connection without a response. */
  function fail(error: unknown, endpoint: string, corsHeaders: readonly string[]): HttpResponse {
    if (error instanceof LimitError) {
      return finish(endpoint, { ...errorResponse(statusOfRefusedBody(error), error.message), closes: true }, corsHeaders);
    }
    if (!(error instanceof CutOffError)) options.onDefect(error, endpoint);
    throw error;
  }

  function serve(endpoint: Endpoint | undefined, request: HttpRequest, query: string, corsHeaders: readonly string[]) {
    if (endpoint === undefined) return finish("none", errorResponse(404, "404 page not found"), corsHeaders);
    let account: RequestAccount | undefined;
    const answered = (answer: HttpResponse) => finish(endpoint.name, withLimits(answer, account), corsHeaders);
    const failed = (error: unknown) => {
      if (error instanceof RefusedRequest) return finish(endpoint.name, refusalResponse(error), corsHeaders);
      if (error instanceof FirnError && error.category === "min-height") {
        return finish(endpoint.name, errorResponse(400, error.message), corsHeaders);
      }
      const outage = outageOf(error);
      if (outage !== undefined) {
        if (!outage.isKnown) options.onDefect(error, endpoint.name);
        return finish(endpoint.name, errorResponse(503, outage.message), corsHeaders);
      }
      return fail(error, endpoint.name, corsHeaders);
    };
    try {
      account = options.access?.open(request, endpoint);
    } catch (error) {
      return failed(error);
    }
    const response = endpoint.handle(request, query, account);
    return response instanceof Promise ? response.then(answered, failed) : answered(response);
  }

  return (request) => {
    const target = parseTarget(request.target);
    const refusal = refusalOf(request, target);
    if (refusal !== undefined || target === undefined) {
      options.onResponse("none", 400);
      return refusal ?? badRequest();
    }
    if (request.target === "*" && request.method === "OPTIONS") return emptyResponse(200);
    const preflight = cors.preflightHeaders(request);
    if (preflight !== undefined) {
      const allowed = options.isClosedTo(target.path, request) ? PREFLIGHT_VARY : preflight;
      return finish("preflight", emptyResponse(200), allowed);
    }
    const corsHeaders = cors.responseHeaders(request);
    const early = beforeRouting(request, target, options);
    if (early !== undefined) return finish("none", early, corsHeaders);
    const found = options.route(target.path);
    if (!(found instanceof Promise)) return serve(found, request, target.query, corsHeaders);
    return found.then((endpoint) => serve(endpoint, request, target.query, corsHeaders));
  };
}

/** Adds the client's rate-limit headers; a refusal has its own. */
function withLimits(answer: HttpResponse, account: RequestAccount | undefined): HttpResponse {
  return account === undefined || account.headers.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...account.headers] };
}

/** Assembles a response's headers. The last result is kept, because nearly all responses have the same headers. */
function headerMaker({ states, nodeId }: PipelineOptions) {
  const nodeHeaders = nodeId === undefined ? [] : ["Node-Id", nodeId];
  let lastParts: readonly (readonly string[])[] = [];
  let last: readonly string[] = [];
  return (response: HttpResponse, corsHeaders: readonly string[]): readonly string[] => {
    const heights = response.heights ?? states.newestHeights();
    if (lastParts[0] !== corsHeaders || lastParts[1] !== heights || lastParts[2] !== response.headers) {
      lastParts = [corsHeaders, heights, response.headers];
      last = [...nodeHeaders, ...corsHeaders, ...heights, ...response.headers];
    }
    return last;
  };
}

/** Requests that Go's HTTP server refuses before any handler runs. */
function refusalOf(request: HttpRequest, target: RequestTarget | undefined): HttpResponse | undefined {
  if (request.hosts > 1 || target === undefined) return badRequest();
  if (request.hosts === 0 && !request.isHttp10) return badRequest("missing required Host header");
  return isWellFormedHost(headerOf(request, "host")) ? undefined : badRequest("malformed Host header");
}

function beforeRouting(request: HttpRequest, target: RequestTarget, options: PipelineOptions): HttpResponse | undefined {
  if (!options.hostFilter(target.host ?? headerOf(request, "host"))) return errorResponse(403, "invalid host specified");
  // This header can address chains, but none of those served here registers itself for it
  if (request.headers["avalanche-api-route"] !== undefined) return emptyResponse(404);
  const clean = cleanPath(target.path);
  return clean === target.path ? undefined : emptyResponse(301, ["Location", redirectLocation(target, clean)]);
}
