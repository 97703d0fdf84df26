/** A JSON-RPC endpoint over HTTP: checks method and media type, then dispatches the call (rpc-avm-info-health 1.6, 1.7). */

import { answerRequest, type ContextSource, type DispatcherOptions } from "../api/rpc/dispatcher.ts";
import type { RpcContext } from "../api/rpc/method.ts";
import type { Service } from "../api/rpc/service.ts";
import {
  type CommittedState,
  type CommittedStates,
  type EndpointChain,
  type HeightHeaders,
  minHeightsOf,
} from "../api/state/committed-states.ts";
import { type Awaitable, andThen, atOnce, later, type Steps } from "../base/work/awaitable.ts";
import { RequestWork } from "../base/work/work.ts";
import { errorResponse, type HttpRequest, type HttpResponse, textResponse } from "../http/exchange.ts";
import { headerOf, type PageGuard, requireAllowedPage } from "../http/origins.ts";
import type { RpcMetrics } from "./metrics/metrics.ts";
import type { Endpoint, RequestAccount } from "./request-account.ts";

/** A context that also says where its answer came from. */
interface ServedContext extends RpcContext {
  /** the node whose answer was passed on */
  readonly passedFrom: string | undefined;
}

interface RpcEndpointOptions extends DispatcherOptions {
  readonly name: string;
  readonly service: Service;
  readonly chain: EndpointChain;
  /** the endpoint answers only once the store holds its chain */
  readonly needsChain: boolean;
  /** privilege that a key needs; by default none */
  readonly privilege?: string | undefined;
  /** checks pages that change state; where a key needs the privilege to write, it checks all pages */
  readonly guard: PageGuard;
  readonly states: CommittedStates;
  readonly metrics: RpcMetrics;
  /** makes a context for one committed state */
  contextOf(state: CommittedState, chain: EndpointChain, work: RequestWork): ServedContext;
}

const ANSWER_HEADERS = ["Content-Type", "application/json; charset=utf-8"] as const;
const INVOKED_HEADERS = [...ANSWER_HEADERS, "X-Content-Type-Options", "nosniff"] as const;
const NO_HEADERS: readonly string[] = [];
const NOTIFIED_HEADERS = ["X-Content-Type-Options", "nosniff"] as const;

const NOT_BOOTSTRAPPED = errorResponse(503, "API call rejected because chain is not done bootstrapping");

export function rpcEndpoint(options: RpcEndpointOptions): Endpoint {
  const { name, states, chain, needsChain, service, privilege } = options;
  const isServed = () => states.newestChains().some(({ chainId }) => chainId === chain.chainId);
  const handle = (request: HttpRequest, account?: RequestAccount) => refusalOf(request) ?? atOnce(answerSteps(request, options, account));
  return {
    name,
    leastUnits: service.leastUnits,
    privilege,
    handle(request, _, account) {
      // A chain that exists stays, so only an absent one is looked up again
      if (!needsChain || isServed()) return handle(request, account);
      return andThen(
        states.use(() => {}),
        () => (isServed() ? handle(request, account) : NOT_BOOTSTRAPPED),
      );
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

function* answerSteps(request: HttpRequest, options: RpcEndpointOptions, account?: RequestAccount): Steps<HttpResponse> {
  const { service, guard, privilege } = options;
  if (privilege === "write") requireAllowedPage(guard, request);
  const least = minHeightsOf(request.headers);
  const body = request.body ?? (yield* later(request.readBody()));
  const startedAt = performance.now();
  const work = new RequestWork(request.work);
  let heights: HeightHeaders | undefined;
  let context: ServedContext | undefined;
  const { states, chain, contextOf } = options;
  const withContext: ContextSource = (use, method) => {
    const useState = (state: CommittedState) => {
      heights = state.heights;
      context = contextOf(state, chain, work);
      return use(context);
    };
    return method.changesState ? useNewest(useState) : states.use(useState, least, work);
  };
  const useNewest = async <T>(use: (state: CommittedState) => Awaitable<T>) => {
    if (least !== undefined) await states.use(() => {}, least, work);
    try {
      return await use(await states.newest());
    } finally {
      heights = await Promise.resolve(states.use((after) => after.heights)).catch(() => undefined);
    }
  };
  const admit = (called: string) => {
    if (service.changesState(called)) requireAllowedPage(guard, request);
    return account?.pay(service.priceOf(called));
  };
  const answered = yield* later(answerRequest(service, body, withContext, options, work, admit));
  const { body: text, wasInvoked, method, isError } = answered;
  options.metrics.record(method ?? "unknown", isError, (performance.now() - startedAt) / 1000);
  const usual = text === undefined ? (wasInvoked ? NOTIFIED_HEADERS : NO_HEADERS) : wasInvoked ? INVOKED_HEADERS : ANSWER_HEADERS;
  const passedFrom = passedFromOf(context);
  const headers = passedFrom === undefined ? usual : [...usual, "Firn-Passed-From", passedFrom];
  return { status: 200, headers, body: text, ...(heights && { heights }) };
}

/** A function, since the compiler cannot see that a callback sets the context. */
function passedFromOf(context: ServedContext | undefined): string | undefined {
  return context?.passedFrom;
}
