/** A JSON-RPC endpoint over HTTP: method and media type first, then the dispatcher (rpc-avm-info-health 1.6, 1.7). */
import { answerRequest, type ContextSource, type DispatcherOptions } from "../rpc/dispatcher.ts";
import type { EndpointChain, RpcContext } from "../rpc/method.ts";
import type { Service } from "../rpc/service.ts";
import type { CommittedState, CommittedStates, HeightHeaders } from "./committed-states.ts";
import { headerOf } from "./cors.ts";
import { type Endpoint, errorResponse, type HttpRequest, type HttpResponse, textResponse } from "./exchange.ts";
import type { RpcMetrics } from "./metrics.ts";

export interface RpcEndpointOptions extends DispatcherOptions {
  readonly name: string;
  readonly service: Service;
  readonly chain: EndpointChain;
  /** the endpoint answers only once the store holds its chain */
  readonly needsChain: boolean;
  readonly states: CommittedStates;
  readonly metrics: RpcMetrics;
  /** a context over one committed state */
  contextOf(state: CommittedState, chain: EndpointChain): RpcContext;
}

const ANSWER_HEADERS = ["Content-Type", "application/json; charset=utf-8"] as const;
const INVOKED_HEADERS = [...ANSWER_HEADERS, "X-Content-Type-Options", "nosniff"] as const;
const NO_HEADERS: readonly string[] = [];
const NOTIFIED_HEADERS = ["X-Content-Type-Options", "nosniff"] as const;

const NOT_BOOTSTRAPPED = errorResponse(503, "API call rejected because chain is not done bootstrapping");

export function rpcEndpoint(options: RpcEndpointOptions): Endpoint {
  const { name, states, chain, needsChain } = options;
  const isServed = () => states.newestChains().some(({ chainId }) => chainId === chain.chainId);
  const handle = (request: HttpRequest) => refusalOf(request) ?? answer(request, options);
  return {
    name,
    handle(request) {
      // Once a chain is there it stays, so only its absence is looked up
      if (!needsChain || isServed()) return handle(request);
      return states.use(async () => {}).then(() => (isServed() ? handle(request) : NOT_BOOTSTRAPPED));
    },
  };
}

function refusalOf(request: HttpRequest): HttpResponse | undefined {
  if (request.method !== "POST") return textResponse(405, `rpc: POST method required, received ${request.method}`);
  const contentType = headerOf(request, "content-type");
  if (contentType === "application/json") return undefined;
  const mediaType = contentType.split(";", 1)[0]!;
  return mediaType.toLowerCase() === "application/json" ? undefined : textResponse(415, `rpc: unrecognized Content-Type: ${mediaType}`);
}

async function answer(request: HttpRequest, options: RpcEndpointOptions): Promise<HttpResponse> {
  const body = await request.readBody();
  const startedAt = performance.now();
  let heights: HeightHeaders | undefined;
  const withContext: ContextSource = async (use, method) => {
    const { states, chain, contextOf } = options;
    const useState = (state: CommittedState) => {
      heights = state.heights;
      return use(contextOf(state, chain));
    };
    if (!method.changesState) return states.use(useState);
    try {
      return await useState(await states.newest());
    } finally {
      heights = await states.use((after) => after.heights).catch(() => undefined);
    }
  };
  const { body: text, wasInvoked, method, isError } = await answerRequest(options.service, body, withContext, options);
  options.metrics.record(method ?? "unknown", isError, (performance.now() - startedAt) / 1000);
  const headers = text === undefined ? (wasInvoked ? NOTIFIED_HEADERS : NO_HEADERS) : wasInvoked ? INVOKED_HEADERS : ANSWER_HEADERS;
  return heights === undefined ? { status: 200, headers, body: text } : { status: 200, headers, body: text, heights };
}
