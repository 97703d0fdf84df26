/**
 * What happens to every request, in the node's order (rpc-avm-info-health 1.2): checks of Go's HTTP server, CORS, host filter, header
 * routing, path routing, endpoint. The node's headers are on every response that gets past the first.
 */
import type { CommittedStates } from "./committed-states.ts";
import { type Cors, headerOf } from "./cors.ts";
import { badRequest, type Endpoint, emptyResponse, errorResponse, type HttpRequest, type HttpResponse } from "./exchange.ts";
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

export type Pipeline = (request: HttpRequest) => Promise<HttpResponse>;

export function pipeline(options: PipelineOptions): Pipeline {
  const { cors, states } = options;
  const nodeHeaders = options.nodeId === undefined ? [] : ["Node-Id", options.nodeId];

  function finish(endpoint: string, response: HttpResponse, corsHeaders: readonly string[]): HttpResponse {
    options.onResponse(endpoint, response.status);
    const heights = response.heights ?? states.newestHeights();
    return { ...response, headers: [...nodeHeaders, ...corsHeaders, ...heights, ...response.headers] };
  }

  return async (request) => {
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
    const endpoint = found instanceof Promise ? await found : found;
    if (endpoint === undefined) return finish("none", errorResponse(404, "404 page not found"), corsHeaders);
    try {
      const response = endpoint.handle(request, target.query);
      return finish(endpoint.name, response instanceof Promise ? await response : response, corsHeaders);
    } catch (error) {
      // A body that was cut off, or a defect: the node closes the connection without a response
      options.onDefect(error, endpoint.name);
      throw error;
    }
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
