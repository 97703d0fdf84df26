/**
 * What happens to every request, in the node's order (rpc-avm-info-health 1.2): checks of Go's HTTP server, CORS, host filter, header
 * routing, path routing, endpoint. The node's headers are on every response that gets past the first.
 */
import type { CommittedStates } from "./committed-states.ts";
import { type Cors, headerOf } from "./cors.ts";
import { badRequest, CutOffError, type Endpoint, emptyResponse, errorResponse, type HttpRequest, type HttpResponse } from "./exchange.ts";
import { type HostFilter, isWellFormedHost } from "./host-filter.ts";
import { cleanPath, parseTarget, type RequestTarget, redirectLocation } from "./request-target.ts";

export interface PipelineOptions {
  readonly cors: Cors;
  readonly hostFilter: HostFilter;
  readonly states: CommittedStates;
  /** undefined: the header is not sent */
  readonly nodeId: string | undefined;
  route(path: string): Endpoint | undefined | Promise<Endpoint | undefined>;
  /** told of every response */
  onResponse(endpoint: string, status: number): void;
  /** told of errors that an endpoint did not answer */
  onDefect(error: unknown, endpoint: string): void;
}

export type Pipeline = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

export function pipeline(options: PipelineOptions): Pipeline {
  const { cors } = options;
  const withHeaders = headerMaker(options);

  function finish(endpoint: string, response: HttpResponse, corsHeaders: readonly string[]): HttpResponse {
    options.onResponse(endpoint, response.status);
    return { status: response.status, headers: withHeaders(response, corsHeaders), body: response.body };
  }

  /** A body that was cut off, or a defect: the node closes the connection without a response. */
  function fail(error: unknown, endpoint: string): never {
    if (!(error instanceof CutOffError)) options.onDefect(error, endpoint);
    throw error;
  }

  function serve(endpoint: Endpoint | undefined, request: HttpRequest, query: string, corsHeaders: readonly string[]) {
    if (endpoint === undefined) return finish("none", errorResponse(404, "404 page not found"), corsHeaders);
    const response = endpoint.handle(request, query);
    if (!(response instanceof Promise)) return finish(endpoint.name, response, corsHeaders);
    return response.then(
      (answer) => finish(endpoint.name, answer, corsHeaders),
      (error: unknown) => fail(error, endpoint.name),
    );
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
    if (preflight !== undefined) return finish("preflight", emptyResponse(200), preflight);
    const corsHeaders = cors.responseHeaders(request);
    const early = beforeRouting(request, target, options);
    if (early !== undefined) return finish("none", early, corsHeaders);
    const found = options.route(target.path);
    if (!(found instanceof Promise)) return serve(found, request, target.query, corsHeaders);
    return found.then((endpoint) => serve(endpoint, request, target.query, corsHeaders));
  };
}

/** Puts the headers of a response together; those of the last one are kept, since nearly all responses have the same. */
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

/** What Go's HTTP server refuses before any handler. */
function refusalOf(request: HttpRequest, target: RequestTarget | undefined): HttpResponse | undefined {
  if (request.hosts > 1 || target === undefined) return badRequest();
  if (request.hosts === 0 && !request.isHttp10) return badRequest("missing required Host header");
  return isWellFormedHost(headerOf(request, "host")) ? undefined : badRequest("malformed Host header");
}

function beforeRouting(request: HttpRequest, target: RequestTarget, options: PipelineOptions): HttpResponse | undefined {
  if (!options.hostFilter(target.host ?? headerOf(request, "host"))) return errorResponse(403, "invalid host specified");
  // Chains can be addressed by this header; none of those served here registers itself
  if (request.headers["avalanche-api-route"] !== undefined) return emptyResponse(404);
  const clean = cleanPath(target.path);
  return clean === target.path ? undefined : emptyResponse(301, ["Location", redirectLocation(target, clean)]);
}
