/**
 * Processes every request in the node's order (rpc-avm-info-health 1.2): checks of Go's HTTP server, CORS, host filter, header routing,
 * path routing, endpoint. Every response that passes the first step has the node's headers.
 */

import { services } from "../api/rpc/registry.ts";
import type { Service } from "../api/rpc/service.ts";
import type { CommittedStates, EndpointChain } from "../api/state/committed-states.ts";
import { formatId } from "../base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import { LimitError } from "../base/work/work.ts";
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
import { statusOfRefusedBody } from "../http/http-server.ts";
import { CutOffError } from "../http/mounted-request.ts";
import { type Cors, type HostFilter, headerOf, isWellFormedHost, PREFLIGHT_VARY } from "../http/origins.ts";
import { cleanPath, parseTarget, type RequestTarget, redirectLocation } from "../http/request-target.ts";
import type { NetworkInstance } from "../network/network.ts";
import { outageOf } from "../store/outage.ts";
import type { Endpoint, NodeAccess, RequestAccount } from "./request-account.ts";

/**
 * Maps paths to endpoints (rpc-avm-info-health 1.3). The paths of the primary network's chains are fixed; every other asset chain that the
 * store executes has paths under its blockchain ID.
 */
interface RouteParts {
  readonly network: NetworkInstance;
  readonly states: CommittedStates;
  /** `--public`: endpoints about this one node are closed */
  readonly isPublic: boolean;
  rpc(name: string, service: Service, chain: EndpointChain, options: { needsChain: boolean; privilege?: string }): Endpoint;
  readonly evm: Endpoint;
  /** the RPC or WebSocket of an L1's chain; undefined for any other path */
  l1(path: string): Endpoint | undefined;
  /** answers plain requests on the WebSocket paths */
  readonly webSocket: Endpoint | undefined;
  /** whether there is `/ext/firn` */
  readonly isDevnet: boolean;
  readonly metrics: Endpoint;
  /** increases when the state is rolled back */
  generation(): number;
  /** the health endpoints, with their paths */
  health(rpc: Endpoint): readonly (readonly [string, Endpoint])[];
}

/** The path of the API that controls a devnet. */
export const DEVELOPMENT_PATH = "/ext/firn";

type Router = (path: string) => Endpoint | undefined | Promise<Endpoint | undefined>;

export function router(parts: RouteParts): Router {
  const endpoints = new Map<string, Endpoint>();
  const add = (paths: readonly string[], endpoint: Endpoint) => {
    for (const path of paths) endpoints.set(path, endpoint);
  };
  const { network, rpc } = parts;
  const always = { needsChain: false };
  const once = { needsChain: true };
  const p: EndpointChain = { chainId: PLATFORM_CHAIN_ID, alias: "P" };
  const x: EndpointChain = { chainId: network.xChainId, chain: X_CHAIN, alias: "X" };
  const c: EndpointChain = { chainId: network.cChainId, alias: "C" };

  add(under(basesOf(p, "platform")), rpc("P", services.platform, p, once));
  add(under(basesOf(p, "platform"), "proposervm"), rpc("P/proposervm", services.proposervm, p, once));
  add(under(basesOf(x, "avm")), rpc("X", services.avm, x, once));
  add(under(basesOf(x, "avm"), "wallet"), rpc("X/wallet", services.wallet, x, once));
  // A source may lack the C-chain's blocks; shared memory can be served without them
  add(under(basesOf(c, "evm"), "avax"), rpc("C/avax", services.avax, c, always));
  add(under(basesOf(c, "evm"), "proposervm"), rpc("C/proposervm", services.proposervm, c, always));
  add(evmPaths(network, "rpc"), parts.evm);
  if (parts.webSocket !== undefined) add(evmPaths(network, "ws"), parts.webSocket);
  for (const chain of [p, x, c]) {
    add([`/ext/index/${chain.alias}/block`], rpc(`index/${chain.alias}/block`, services.blockIndex, chain, always));
  }
  add(["/ext/index/X/tx"], rpc("index/X/tx", services.txIndex, x, always));
  add(["/ext/index/X/vtx"], rpc("index/X/vtx", services.vertexIndex, x, always));
  add(["/ext/info"], rpc("info", parts.isPublic ? services.publicInfo : services.info, p, always));
  if (parts.isDevnet) add([DEVELOPMENT_PATH], rpc("firn", services.firn, p, { ...always, privilege: "write" }));
  add(["/ext/metrics"], withNewestHeights(parts.metrics, parts.states));
  if (!parts.isPublic) {
    const health = parts.health(rpc("health", services.health, p, always));
    for (const [path, endpoint] of health) add([path], withNewestHeights(endpoint, parts.states));
  }

  /** By path. After a rollback chains may be missing or have other numbers, so endpoints of an earlier generation are not used. */
  let others = { generation: parts.generation(), endpoints: new Map<string, Endpoint>() };
  const addOtherChains = () => {
    for (const chain of parts.states.newestChains()) {
      const base = `/ext/bc/${formatId(chain.chainId)}`;
      if (chain.chain === undefined || endpoints.has(base) || others.endpoints.has(base)) continue;
      others.endpoints.set(base, rpc("asset", services.avm, chain, once));
      others.endpoints.set(`${base}/wallet`, rpc("asset/wallet", services.wallet, chain, once));
    }
  };
  const findOther = (path: string) => {
    const generation = parts.generation();
    if (others.generation !== generation) others = { generation, endpoints: new Map() };
    return others.endpoints.get(path);
  };
  return (path) => {
    const endpoint = endpoints.get(path) ?? findOther(path) ?? parts.l1(path);
    if (endpoint !== undefined || !path.startsWith("/ext/bc/")) return endpoint;
    // The chain may have been created since the last lookup
    return parts.states.load().then(() => {
      addOtherChains();
      return findOther(path);
    });
  };
}

/** The paths of the C-chain's own RPC. */
export function evmPaths({ cChainId }: NetworkInstance, extension: "rpc" | "ws"): string[] {
  return under(basesOf({ chainId: cChainId, alias: "C" }, "evm"), extension);
}

/** The X-chain's number among asset chains. */
const X_CHAIN = 0;

/** The base paths of a primary-network chain: by ID, by alias and by VM name; the latter two with and without `bc/`. */
function basesOf({ chainId, alias }: EndpointChain, vmName: string): string[] {
  return [`/ext/bc/${formatId(chainId)}`, ...[alias, vmName].flatMap((name) => [`/ext/bc/${name}`, `/ext/${name}`])];
}

function under(bases: readonly string[], extension?: string): string[] {
  return extension === undefined ? [...bases] : bases.map((base) => `${base}/${extension}`);
}

// Answers that are not made from the store, as health and metrics, have the heights of its newest state all the same.

/** The endpoint, with the heights at the time of its answer: nobody else may have asked for anything since the process began. */
function withNewestHeights(endpoint: Endpoint, states: CommittedStates): Endpoint {
  return {
    ...endpoint,
    async handle(...request) {
      const response = await endpoint.handle(...request);
      if (response.heights !== undefined) return response;
      // a store that cannot be read is no reason to say nothing of the node's health
      await states.load();
      return { ...response, heights: states.newestHeights() };
    },
  };
}

interface PipelineOptions {
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
    const { status, body, closes } = response;
    const headers = withHeaders(response, corsHeaders);
    return closes ? { status, headers, body, closes } : { status, headers, body };
  }

  /** Answers a body that a limit refuses. After a cut-off body or a defect, the node closes the connection without a response. */
  function fail(error: unknown, endpoint: string, corsHeaders: readonly string[]): HttpResponse | Promise<never> {
    if (error instanceof LimitError) {
      return finish(endpoint, { ...errorResponse(statusOfRefusedBody(error), error.message), closes: true }, corsHeaders);
    }
    if (!(error instanceof CutOffError)) options.onDefect(error, endpoint);
    return Promise.reject(error);
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
    let response: HttpResponse | Promise<HttpResponse>;
    try {
      account = options.access?.open(request, endpoint);
      response = endpoint.handle(request, query, account);
    } catch (error) {
      return failed(error);
    }
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
