/** Puts the HTTP interface of one process together: states, contexts, endpoints, pipeline. */
import type { Server } from "node:http";
import { type AccessControl, openAccess } from "../data/access-control.ts";
import { type DataSettings, defaultDataSettings } from "../data/context.ts";
import type { EvmChainDirectory } from "../data/evm/evm-chain.ts";
import type { AnyDataRoute } from "../data/route.ts";
import type { NetworkInstance } from "../network/network.ts";
import { formatNodeId } from "../primitives/node-id.ts";
import type { Development } from "../rpc/firn/development.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import type { NodeFacts } from "../rpc/info/node-facts.ts";
import type { EndpointChain, IssueContext, RpcContext } from "../rpc/method.ts";
import type { Store, StoreReader } from "../store/store.ts";
import { type CommittedState, CommittedStates } from "./committed-states.ts";
import { cors } from "./cors.ts";
import { dataMount } from "./data-mount.ts";
import { evmEndpoint } from "./evm-endpoint.ts";
import { type Endpoint, errorResponse } from "./exchange.ts";
import { FreshnessReader } from "./freshness.ts";
import { healthEndpoint, reportEndpoint } from "./health-endpoint.ts";
import { hostFilter } from "./host-filter.ts";
import { createHttpServer } from "./http-server.ts";
import type { NodeIdentity } from "./identity.ts";
import { RpcMetrics } from "./metrics.ts";
import { pipeline } from "./pipeline.ts";
import { evmPaths, router } from "./routes.ts";
import { rpcEndpoint } from "./rpc-endpoint.ts";
import { type Accept, acceptUpgrades } from "./upgrade.ts";

/** The C-chain's EVM as clients reach it. */
export interface EvmAccess {
  /** to a body, both latin1 */
  answer(body: string): Promise<string>;
  /** a WebSocket */
  readonly accept: Accept;
}

export interface NodeServerOptions {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly identity: NodeIdentity;
  readonly facts: NodeFacts;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly isPublic: boolean;
  /** Unix seconds at which answers that depend on the clock are given; by default now */
  readonly clock?: () => bigint;
  /** rises when answers change without a block; by default they never do */
  readonly generation?: () => number;
  /** what `/ext/firn` drives; undefined: there is no such endpoint */
  readonly development?: Development;
  /** answers the C-chain's own RPC; undefined: it says that there is none */
  readonly evm?: EvmAccess;
  /** whose index the Data API serves; by default none */
  readonly evmChains?: EvmChainDirectory | undefined;
  /** bytes that a process may keep of answers made once per height */
  readonly cacheBytes: number;
  /** by default all */
  readonly dataRoutes?: readonly AnyDataRoute[];
  /** what page tokens of the Data API are signed with */
  readonly tokenSecret: Uint8Array;
  /** of the Data API's answers */
  readonly settings?: DataSettings;
  /** of the Data API: an index further behind its source is not served; by default any age is */
  readonly maxStalenessSeconds?: number | undefined;
  /** whose X-Forwarded-For the Data API believes; by default nobody's */
  readonly trustedProxies?: readonly string[];
  /** to the Data API; by default open to all */
  readonly access?: AccessControl;
  /** the last results of the health checks */
  reports(): HealthReports;
  /** text of `/ext/metrics` */
  exposition(): Promise<string>;
  issueContext(states: CommittedStates, clock: bigint): IssueContext;
  /** told of errors that no method raised on purpose */
  onDefect(error: unknown, method: string): void;
}

export interface NodeServer {
  readonly server: Server;
  readonly metrics: RpcMetrics;
  /** Reads heights and freshness, so that the first response has them too, whatever it is. */
  readHeights(): Promise<void>;
  /** Loads the Data API, which otherwise the first request for it does. */
  warmUp(): Promise<void>;
}

export function createNodeServer(options: NodeServerOptions): NodeServer {
  const { store, network, identity, isPublic, onDefect } = options;
  const states = new CommittedStates(store, network, {
    cacheBytes: options.cacheBytes,
    ...(options.generation && { generation: options.generation }),
  });
  const metrics = new RpcMetrics();

  const contextOf = (state: CommittedState, chain: EndpointChain) => new RequestContext(options, states, state, chain);

  const route = router({
    network,
    states,
    isPublic,
    rpc: (name, service, chain, { needsChain }) => rpcEndpoint({ name, service, chain, needsChain, states, metrics, contextOf, onDefect }),
    evm: evmEndpoint(options.evm && answerOf(options.evm, states)),
    webSocket: options.evm && { name: "C/ws", handle: () => errorResponse(400, "Bad Request") },
    isDevnet: options.development !== undefined,
    generation: options.generation ?? (() => 0),
    metrics: metricsEndpoint(options.exposition),
    health: (rpc) => ({
      "/ext/health": healthEndpoint(options.reports, rpc),
      "/ext/health/health": reportEndpoint("health/health", () => options.reports().health),
      "/ext/health/readiness": reportEndpoint("health/readiness", () => options.reports().readiness),
      "/ext/health/liveness": reportEndpoint("health/liveness", () => []),
    }),
  });
  const handle = pipeline({
    cors: cors(options.allowedOrigins),
    hostFilter: hostFilter(options.allowedHosts),
    states,
    // A public server's answers belong to no node
    nodeId: isPublic ? undefined : formatNodeId(identity.nodeId),
    route,
    onResponse: (endpoint, status) => metrics.countResponse(endpoint, status),
    onDefect,
  });
  const freshness = new FreshnessReader();
  const data = dataMount({
    ...options,
    routes: options.dataRoutes,
    states,
    freshness,
    clock: options.clock ?? wallClock,
    uptimes: options.facts.uptimes,
    settings: options.settings ?? defaultDataSettings,
    maxStalenessSeconds: options.maxStalenessSeconds,
    trustedProxies: options.trustedProxies ?? [],
    access: options.access ?? openAccess,
    reports: () => options.reports(),
    onResponse: (endpoint, status) => metrics.countResponse(endpoint, status),
    onDefect,
  });
  const server = createHttpServer(handle, [data]);
  if (options.evm !== undefined) {
    const paths = new Set([...evmPaths(network, "rpc"), ...evmPaths(network, "ws")]);
    acceptUpgrades(server, { allowedHosts: options.allowedHosts, paths, accept: options.evm.accept });
  }
  return {
    server,
    metrics,
    readHeights: () => states.use(async (state) => void (await freshness.of(state))),
    warmUp: () => data.warmUp(),
  };
}

/** A transaction may be in a block when the answer comes: the heights are those after it. */
function answerOf(evm: EvmAccess, states: CommittedStates) {
  return async (body: string) => ({ text: await evm.answer(body), heights: await states.use(({ heights }) => heights) });
}

function wallClock(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}

/** What one request may use; what is seldom used is made when it is. */
class RequestContext implements RpcContext {
  readonly #options: NodeServerOptions;
  readonly #states: CommittedStates;
  readonly #state: CommittedState;
  readonly chain: EndpointChain;
  #clock: bigint | undefined;

  constructor(options: NodeServerOptions, states: CommittedStates, state: CommittedState, chain: EndpointChain) {
    this.#options = options;
    this.#states = states;
    this.#state = state;
    this.chain = chain;
  }

  get reader(): StoreReader {
    return this.#state.reader;
  }

  get network(): NetworkInstance {
    return this.#options.network;
  }

  /** The same throughout a request. */
  get clock(): bigint {
    this.#clock ??= (this.#options.clock ?? wallClock)();
    return this.#clock;
  }

  get node(): NodeIdentity {
    return this.#options.identity;
  }

  get facts(): NodeFacts {
    return this.#options.facts;
  }

  get health(): HealthReports {
    return this.#options.reports();
  }

  get development(): Development | undefined {
    return this.#options.development;
  }

  get issueContext(): IssueContext {
    return this.#options.issueContext(this.#states, this.clock);
  }

  cached<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.#state.cache.get(name, make);
  }
}

function metricsEndpoint(exposition: () => Promise<string>): Endpoint {
  return {
    name: "metrics",
    handle: async () => ({ status: 200, headers: ["Content-Type", "text/plain; version=0.0.4; charset=utf-8"], body: await exposition() }),
  };
}
