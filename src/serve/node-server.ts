/** Assembles the HTTP interface of one process: states, contexts, endpoints and pipeline. */

import type { Server } from "node:http";
import { type AccessControl, KEY_HEADERS, openAccess } from "../api/access/access.ts";
import { type DataSettings, defaultDataSettings } from "../api/data/context.ts";
import type { EvmChainDirectory } from "../api/data/evm/evm-chain.ts";
import type { AnyDataRoute } from "../api/data/route.ts";
import type { WarpSigner } from "../api/data/signatures/warp-signer.ts";
import type { WebhookAccess } from "../api/data/webhooks/webhook-desk.ts";
import type { Development } from "../api/rpc/firn/development.ts";
import type { BeyondState, IssueContext, RpcContext } from "../api/rpc/method.ts";
import type { EndpointChain } from "../api/state/committed-states.ts";
import { type CommittedState, CommittedStates } from "../api/state/committed-states.ts";
import { FreshnessReader } from "../api/state/freshness.ts";
import type { HealthReports } from "../api/state/health-report.ts";
import type { NodeIdentity } from "../api/state/identity.ts";
import { KeptAnswers } from "../api/state/kept-answers.ts";
import type { LiveFacts, NodeFacts } from "../api/state/node-facts.ts";
import { formatNodeId } from "../base/bytes/cb58.ts";
import { DEFAULT_LIMITS, type Limits } from "../base/limits.ts";
import type { Awaitable } from "../base/work/awaitable.ts";
import type { RequestWork, Work } from "../base/work/work.ts";
import type { BuildFolder } from "../evm/builds/build-folder.ts";
import { errorResponse, type Pay } from "../http/exchange.ts";
import { createHttpServer } from "../http/http-server.ts";
import { anyPage, cors, hostFilter, pageGuard } from "../http/origins.ts";
import type { NetworkInstance } from "../network/network.ts";
import { BudgetedReader } from "../store/budgeted-reader.ts";
import type { Store, StoreReader } from "../store/store.ts";
import { dataMount } from "./data-mount.ts";
import { type EvmAccess, evmEndpoint } from "./evm/evm-endpoint.ts";
import type { L1Access } from "./evm/l1-access.ts";
import { explorerMount } from "./explorer-mount.ts";
import { healthEndpoint, reportEndpoint } from "./health/health-endpoint.ts";
import { RpcMetrics } from "./metrics/metrics.ts";
import { DEVELOPMENT_PATH, evmPaths, pipeline, router } from "./pipeline.ts";
import { type Endpoint, NodeAccess } from "./request-account.ts";
import { rpcEndpoint } from "./rpc-endpoint.ts";

/** What issuing a transaction may use from its request. */
export interface IssuingRequest {
  readonly states: CommittedStates;
  /** Unix seconds */
  readonly clock: bigint;
  readonly work: RequestWork;
}

export interface NodeServerOptions {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly identity: NodeIdentity;
  readonly facts: NodeFacts;
  readonly allowedHosts: readonly string[];
  /** origins whose pages may use the server; undefined: all pages may read, and pages from this machine may also change state */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly isPublic: boolean;
  /** serves the explorer at `/`; by default it does not */
  readonly hasExplorer?: boolean;
  /** current Unix seconds for answers that depend on the clock; by default the system clock */
  readonly clock?: () => bigint;
  /** by how many seconds the clock of a devnet's state is ahead of the machine's; undefined: this is no devnet */
  readonly clockOffset?: (reader: StoreReader) => Promise<bigint>;
  /** increases when answers change without a new block; by default it never does */
  readonly generation?: () => number;
  /** what `/ext/firn` controls; undefined if there is no such endpoint */
  readonly development?: Development;
  /** answers the C-chain's own RPC; undefined: calls are refused */
  readonly evm?: EvmAccess;
  /** the chains of a devnet's L1s; by default there are none */
  readonly l1s?: { find(path: string): L1Access | undefined };
  /** EVM chains that the Data API serves; by default none */
  readonly evmChains?: EvmChainDirectory | undefined;
  /** bytes that a process may keep of answers that are computed once per height */
  readonly cacheBytes: number;
  /** by default all routes */
  readonly dataRoutes?: readonly AnyDataRoute[];
  /** secret that signs page tokens of the Data API */
  readonly tokenSecret: Uint8Array;
  /** build files of contracts; by default none */
  readonly builds?: BuildFolder | undefined;
  /** who signs warp messages for clients of the Data API; by default nobody */
  readonly warpSigner?: WarpSigner | undefined;
  /** who keeps webhooks; by default nobody */
  readonly webhooks?: WebhookAccess | undefined;
  /** settings of the Data API's answers */
  readonly settings?: DataSettings;
  /** the Data API refuses to serve a chain whose index lags further behind its source; by default it serves any age */
  readonly maxStalenessSeconds?: number | undefined;
  /** limits for requests, connections and the process */
  readonly limits?: Limits;
  /** proxies whose X-Forwarded-For is trusted; by default none */
  readonly trustedProxies?: readonly string[];
  /** access to the Data API; by default open to all */
  readonly access?: AccessControl;
  /** access to the node's interface below /ext; by default open to all */
  readonly nodeAccess?: AccessControl | undefined;
  /** whether node:http parses every request, also those with a head that it has parsed before */
  readonly parsesAll?: boolean;
  /** the latest results of the health checks */
  reports(): HealthReports;
  /** the text of `/ext/metrics` */
  exposition(): Promise<string>;
  issueContext(request: IssuingRequest): IssueContext;
  /** called with errors that no method raised on purpose */
  onDefect(error: unknown, method: string): void;
}

export interface NodeServer {
  readonly server: Server;
  readonly metrics: RpcMetrics;
  /** Reads heights and freshness, so that even the first response has their headers. */
  readHeights(): Promise<void>;
  /** Loads the Data API, which its first request would otherwise do. */
  warmUp(): Promise<void>;
}

export function createNodeServer(options: NodeServerOptions): NodeServer {
  const { store, network, identity, isPublic, onDefect } = options;
  const limits = options.limits ?? DEFAULT_LIMITS;
  const kept = new KeptAnswers(options.cacheBytes);
  const states = new CommittedStates(store, network, {
    kept,
    ...(options.generation && { generation: options.generation }),
  });
  const metrics = new RpcMetrics();

  const contextOf = (state: CommittedState, chain: EndpointChain, work: RequestWork) =>
    new RpcRequestContext(options, { states, state, chain, work, limits, kept });

  const guardChanges = pageGuard(options.allowedOrigins, options.allowedHosts);
  const isDevnet = options.development !== undefined;
  // Other servers have no state of their own to change: what a follower passes on is signed
  const guard = isDevnet || options.evm !== undefined ? guardChanges : anyPage;
  const evmOf = (name: string, evm: EvmAccess | undefined, reason: string) =>
    evmEndpoint({ name, reason, answer: evm && answerOf(evm, states), guard, limits });
  const l1Endpoints = new WeakMap<L1Access, Endpoint>();
  const route = router({
    network,
    states,
    isPublic,
    rpc: (name, service, chain, served) =>
      rpcEndpoint({ name, service, chain, ...served, states, metrics, contextOf, limits, guard, onDefect }),
    evm: evmOf("C/rpc", options.evm, "this node serves the C-chain without an EVM upstream"),
    webSocket: options.evm && webSocketEndpoint("C/ws"),
    l1(path) {
      const l1 = options.l1s?.find(path);
      if (l1 === undefined) return undefined;
      if (path.endsWith("/ws") && l1.evm !== undefined) return L1_WEB_SOCKET;
      const endpoint = l1Endpoints.get(l1) ?? evmOf("L1/rpc", l1.evm, l1.reason);
      l1Endpoints.set(l1, endpoint);
      return endpoint;
    },
    isDevnet,
    generation: options.generation ?? (() => 0),
    metrics: metricsEndpoint(options.exposition),
    health: (rpc) => [
      ["/ext/health", healthEndpoint(options.reports, rpc)],
      ["/ext/health/health", reportEndpoint("health/health", () => options.reports().health)],
      ["/ext/health/readiness", reportEndpoint("health/readiness", () => options.reports().readiness)],
      ["/ext/health/liveness", reportEndpoint("health/liveness", () => [])],
    ],
  });
  const access = options.nodeAccess && new NodeAccess(options.nodeAccess, options.trustedProxies ?? []);
  const handle = pipeline({
    cors: cors(options.allowedOrigins ?? ALL_ORIGINS, access && KEY_HEADERS),
    hostFilter: hostFilter(options.allowedHosts),
    states,
    access,
    // The answers of a public server are not tied to one node
    nodeId: isPublic ? undefined : formatNodeId(identity.nodeId),
    route,
    isClosedTo: (path, { headers }) => path === DEVELOPMENT_PATH && guard(headers) !== undefined,
    onResponse: (endpoint, status) => metrics.countResponse(endpoint, status),
    onDefect,
  });
  const cPaths = new Set([...evmPaths(network, "rpc"), ...evmPaths(network, "ws")]);
  const freshness = new FreshnessReader();
  const data = dataMount({
    ...options,
    limits,
    allowedOrigins: options.allowedOrigins ?? ALL_ORIGINS,
    guardChanges,
    routes: options.dataRoutes,
    states,
    kept,
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
  const explorer = explorerMount({
    allowedHosts: options.allowedHosts,
    onResponse: (status) => metrics.countResponse("explorer", status),
  });
  const server = createHttpServer({
    handle,
    mounts: options.hasExplorer ? [data, explorer] : [data],
    upgrades: options.evm && {
      allowedHosts: options.allowedHosts,
      access,
      guard,
      acceptOf: (path) => (cPaths.has(path) ? options.evm?.accept : options.l1s?.find(path)?.evm?.accept),
    },
    limits,
    trustedProxies: options.trustedProxies ?? [],
    onRefusal: (limit) => metrics.countRefusal(limit),
    parsesAll: options.parsesAll,
  });
  return {
    server,
    metrics,
    readHeights: async () => states.use(async (state) => void (await freshness.of(state))),
    warmUp: () => data.warmUp(),
  };
}

const ALL_ORIGINS = ["*"];
const L1_WEB_SOCKET = webSocketEndpoint("L1/ws");

/** answers plain requests */
function webSocketEndpoint(name: string): Endpoint {
  return { name, leastUnits: 0, handle: () => errorResponse(400, "Bad Request") };
}

/** The transaction may be in a block when the answer is sent, so the heights are read after it. */
function answerOf(evm: EvmAccess, states: CommittedStates) {
  return async (body: string, pay: Pay, work: Work) => ({
    body: await evm.answer(body, pay, work),
    heights: await states.use(({ heights }) => heights),
  });
}

function wallClock(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}

interface RequestParts {
  readonly states: CommittedStates;
  readonly state: CommittedState;
  readonly chain: EndpointChain;
  readonly work: RequestWork;
  readonly limits: Limits;
  readonly kept: KeptAnswers;
}

const NANOSECONDS = 1_000_000_000n;

/** The context of one request. */
class RpcRequestContext implements RpcContext {
  readonly #options: NodeServerOptions;
  readonly #state: CommittedState;
  readonly #states: CommittedStates;
  readonly chain: EndpointChain;
  readonly work: RequestWork;
  readonly kept: KeptAnswers;
  readonly reader: StoreReader;
  #beyond: BeyondRequest | undefined;

  constructor(options: NodeServerOptions, { states, state, chain, work, limits, kept }: RequestParts) {
    this.#options = options;
    this.#states = states;
    this.#state = state;
    this.chain = chain;
    this.work = work;
    this.kept = kept;
    this.reader = new BudgetedReader(state.reader, work, limits);
  }

  get network(): NetworkInstance {
    return this.#options.network;
  }

  get generation(): number | undefined {
    return this.#state.generation;
  }

  get node(): NodeIdentity {
    return this.#options.identity;
  }

  get isFollower(): boolean {
    return this.#options.facts.live !== undefined;
  }

  get isDevnet(): boolean {
    return this.#options.development !== undefined;
  }

  beyondState(): BeyondState {
    this.#beyond ??= new BeyondRequest(this.#options, this.#states, this.work);
    return this.#beyond;
  }

  /** The node whose answer was passed on. A public server does not name its nodes. */
  get passedFrom(): string | undefined {
    const from = this.#beyond?.passedFrom;
    return this.#options.isPublic && from !== undefined ? "upstream" : from;
  }

  cached<T>(name: string, make: () => Awaitable<T>): Awaitable<T> {
    return this.#state.cache.get(name, this.work, make);
  }
}

class BeyondRequest implements BeyondState {
  readonly #options: NodeServerOptions;
  readonly #states: CommittedStates;
  readonly #work: RequestWork;
  /** stays the same throughout a request */
  readonly now: bigint;
  passedFrom: string | undefined;

  constructor(options: NodeServerOptions, states: CommittedStates, work: RequestWork) {
    this.#options = options;
    this.#states = states;
    this.#work = work;
    const { clock } = options;
    this.now = clock === undefined ? BigInt(Date.now()) * 1_000_000n : clock() * NANOSECONDS;
  }

  get clock(): bigint {
    return this.now / NANOSECONDS;
  }

  get facts(): NodeFacts {
    return this.#options.facts;
  }

  get live(): LiveFacts | undefined {
    return this.#options.facts.live;
  }

  get health(): HealthReports {
    return this.#options.reports();
  }

  get development(): Development | undefined {
    return this.#options.development;
  }

  get issueContext(): IssueContext {
    return this.#options.issueContext({ states: this.#states, clock: this.clock, work: this.#work });
  }
}

function metricsEndpoint(exposition: () => Promise<string>): Endpoint {
  return {
    name: "metrics",
    leastUnits: 0,
    handle: async () => ({ status: 200, headers: ["Content-Type", "text/plain; version=0.0.4; charset=utf-8"], body: await exposition() }),
  };
}
