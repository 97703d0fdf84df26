/**
 * The Data API as HTTP: Fastify finds the route and reads the body, everything after that is here, in this order: access, network, chain,
 * parameters, one committed state, its freshness, the handler. Whatever goes wrong becomes one of eight statuses in one form of body.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from "fastify";
import type { PrimaryChain } from "../index/primary/primary-chain.ts";
import type { CommittedState, CommittedStates } from "../server/committed-states.ts";
import type { Freshness, FreshnessReader } from "../server/freshness.ts";
import type { AccessControl, Admission } from "./access-control.ts";
import { chainNameOf } from "./chain-info.ts";
import { DataError, errorBody, unexpected } from "./errors.ts";
import type { EvmChain } from "./evm/evm-chain.ts";
import { EvmPaths } from "./evm/evm-paths.ts";
import { dataErrorOf } from "./framework-errors.ts";
import { labelOf, type NetworkLabel, NetworkPaths } from "./network-labels.ts";
import type { PageTokens } from "./page-tokens.ts";
import { type PathChains, RegisteredRoute } from "./registered-route.ts";
import { RequestContext, type ServingContext } from "./request-context.ts";
import type { AnyDataRoute } from "./route.ts";

export interface DataApiOptions extends Omit<ServingContext, "label"> {
  readonly routes: readonly AnyDataRoute[];
  readonly states: CommittedStates;
  readonly freshness: FreshnessReader;
  readonly tokens: PageTokens;
  readonly access: AccessControl;
  /** whose X-Forwarded-For is believed */
  readonly trustedProxies: readonly string[];
  /** an index further behind its source is not served; undefined: any age is */
  readonly maxStalenessSeconds: number | undefined;
  /** told of errors that nobody raised on purpose */
  onDefect(error: unknown, operation: string): void;
}

export interface DataAnswer {
  readonly status: number;
  /** JSON */
  readonly body: string;
  /** of the operation, or "none" */
  readonly operation: string;
  /** names and values in turn */
  readonly headers: readonly string[];
  readonly freshness: Freshness;
}

export type Respond = (response: ServerResponse, answer: DataAnswer) => void;
export type DataApi = (request: IncomingMessage, response: ServerResponse) => void;

/** 1,024 addresses are 50 KB. */
const MAX_BODY_BYTES = 256 << 10;
const NO_HEADERS: readonly string[] = [];
const NO_CHAINS: readonly EvmChain[] = [];

/** `respond` writes the answers. */
export async function createDataApi(options: DataApiOptions, respond: Respond): Promise<DataApi> {
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    // unknown members are ignored, whatever they are called
    onProtoPoisoning: "remove",
    onConstructorPoisoning: "remove",
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: true },
    rewriteUrl: ({ url }) => withPlainColons(url!),
    frameworkErrors: (error, request, reply) => fail(error, request, reply),
  });
  // JSON is all that a body can be
  app.removeContentTypeParser("text/plain");

  const send = (reply: FastifyReply, answer: DataAnswer) => {
    reply.hijack();
    respond(reply.raw, answer);
  };
  const fail = (error: unknown, _: FastifyRequest, reply: FastifyReply) => {
    const answer = errorAnswer(dataErrorOf(error as FastifyError), "none", NO_HEADERS, options.freshness.newest());
    if (answer.status === 500) options.onDefect(error, "none");
    send(reply, answer);
  };
  app.setErrorHandler(fail);
  app.setNotFoundHandler((request, reply) => {
    const path = request.raw.url!.split("?", 1)[0];
    fail(new DataError(404, `there is no route ${request.method} ${path}; /docs lists all`), request, reply);
  });

  const serving: ServingContext = { ...options, label: labelOf(options.network) };
  const operations = new Operations(options, serving);
  for (const route of options.routes) {
    const registered = new RegisteredRoute(route, options.tokens);
    app.route({
      method: route.method,
      url: registered.routerPath,
      handler: async (request, reply) => send(reply, await operations.answer(registered, request)),
    });
  }
  let document: string | undefined;
  app.get("/v1/openapi.json", async (_, reply) => {
    document ??= await openApiText(options.routes, serving.label);
    const answer = { status: 200, body: document, operation: "openapi", headers: NO_HEADERS, freshness: options.freshness.newest() };
    send(reply, answer);
  });
  await app.ready();
  return (request, response) => app.routing(request, response);
}

/** Few clients ask for it: the first request makes it. */
async function openApiText(routes: readonly AnyDataRoute[], label: NetworkLabel): Promise<string> {
  const { openApiDocument } = await import("./openapi/document.ts");
  return JSON.stringify(openApiDocument(routes, label));
}

/** `%3A` in a path is the colon of a verb; the router would compare it as it is. */
function withPlainColons(url: string): string {
  if (!url.includes("%3")) return url;
  const end = url.indexOf("?");
  const path = end === -1 ? url : url.slice(0, end);
  return path.replace(/%3A/gi, ":") + url.slice(path.length);
}

function errorAnswer(error: DataError, operation: string, headers: readonly string[], freshness: Freshness): DataAnswer {
  return { status: error.status, body: errorBody(error), operation, headers, freshness };
}

class Operations {
  readonly #options: DataApiOptions;
  readonly #serving: ServingContext;
  readonly #paths: NetworkPaths;
  readonly #evmPaths: EvmPaths;

  constructor(options: DataApiOptions, serving: ServingContext) {
    this.#options = options;
    this.#serving = serving;
    this.#paths = new NetworkPaths(options.network);
    this.#evmPaths = new EvmPaths(options.network);
  }

  /** Never rejects. */
  async answer(registered: RegisteredRoute, request: FastifyRequest): Promise<DataAnswer> {
    const { operationId, computeUnits, status = 200 } = registered.route;
    let headers = NO_HEADERS;
    let freshness = this.#options.freshness.newest();
    try {
      const admission = this.#admit(request, computeUnits);
      const { headers: granted, error } = admission instanceof Promise ? await admission : admission;
      headers = granted;
      if (error !== undefined) throw error;
      const body = await this.#serve(registered, request, (known) => {
        freshness = known;
      });
      return { status, body, operation: operationId, headers, freshness };
    } catch (error) {
      if (error instanceof DataError) return errorAnswer(error, operationId, headers, freshness);
      this.#options.onDefect(error, operationId);
      return errorAnswer(unexpected(), operationId, headers, freshness);
    }
  }

  #admit(request: FastifyRequest, computeUnits: number): Admission | Promise<Admission> {
    const keys: string[] = [];
    for (const name of ["x-data-api-key", "x-glacier-api-key"]) {
      const key = request.raw.headers[name];
      if (typeof key === "string") keys.push(key);
    }
    // A connection that is gone has no address any more
    const ip = (request.ip as string | undefined) ?? "";
    return this.#options.access.admit({ keys, ip, computeUnits });
  }

  /** JSON of the answer. Throws DataErrors; anything else is a defect. */
  async #serve(registered: RegisteredRoute, request: FastifyRequest, onFreshness: (known: Freshness) => void): Promise<string> {
    const { route } = registered;
    const params = request.params as Record<string, string>;
    if (params.network !== undefined) this.#paths.checkNetwork(params.network);
    const primary = route.chains === undefined ? undefined : this.#paths.chainOf(params.blockchainId!, route.chains);
    const sent = { params, query: request.query as Record<string, unknown>, body: request.body };
    const readAtOnce = route.evm === undefined ? registered.read(sent, { primary }) : undefined;
    return this.#use(async (state) => {
      const freshness = await this.#options.freshness.of(state);
      onFreshness(freshness);
      const chains = { primary, ...(await this.#evmChains(route, params, state)) };
      const read = readAtOnce ?? registered.read(sent, chains);
      this.#requireFresh(registered, chains, freshness);
      const mayBeKept = route.method === "GET" && (route.isOfState ?? route.evm === undefined);
      const name = mayBeKept ? `data answer ${request.raw.url}` : undefined;
      const kept = name && state.cache.find<string>(name);
      if (kept !== undefined) return kept;
      const isAvailable = (chain: EvmChain) => this.#staleness(evmAlias(chain), freshness) === undefined;
      const canExpire = this.#options.maxStalenessSeconds !== undefined;
      const context = new RequestContext(this.#serving, state, { ...chains, isAvailable, canExpire }, read);
      const body = registered.write(await route.handle(read, context));
      if (name !== undefined && context.isOfState) state.cache.keep(name, body);
      return body;
    });
  }

  /** All that there are, and that of the path, if the route is about EVM chains. */
  async #evmChains({ evm }: AnyDataRoute, { chainId }: Readonly<Record<string, string>>, state: CommittedState) {
    const chains = evm === undefined ? NO_CHAINS : ((await this.#serving.evmChains?.of(state)) ?? NO_CHAINS);
    return {
      allEvm: this.#evmPaths.inOrder(chains),
      evm: evm === "chain" ? this.#evmPaths.chainOf(chainId!, chains) : undefined,
    };
  }

  /** A state that cannot be had is the store's failure; what fails behind it is the route's. */
  async #use<R>(answer: (state: CommittedState) => Promise<R>): Promise<R> {
    let hasState = false;
    try {
      return await this.#options.states.use((state) => {
        hasState = true;
        return answer(state);
      });
    } catch (error) {
      if (hasState) throw error;
      this.#options.onDefect(error, "store");
      throw new DataError(503, "the store does not answer; the server's log tells why");
    }
  }

  /** Throws 503 if a chain that the answer is made from is not indexed, or older than the operator allows. */
  #requireFresh(registered: RegisteredRoute, { primary, evm }: PathChains, freshness: Freshness): void {
    for (const chain of registered.chainsNeeded(primary)) this.#checkFreshness(ALIASES[chain], chainNameOf(chain), freshness);
    if (evm !== undefined && registered.needsEvmChain) this.#checkFreshness(evmAlias(evm), `chain ${evm.evmChainId}`, freshness);
  }

  #checkFreshness(alias: string, name: string, freshness: Freshness): void {
    const seconds = this.#staleness(alias, freshness);
    if (seconds === "not indexed") throw new DataError(503, `the ${name} is not indexed yet; try again later`);
    if (seconds === undefined) return;
    const most = this.#options.maxStalenessSeconds;
    throw new DataError(503, `the index of the ${name} is ${seconds}s behind its source; at most ${most}s are served here`);
  }

  /** Why the chain is not served: it is not indexed, or so many seconds behind; undefined: it is served. */
  #staleness(alias: string, { secondsBehind }: Freshness): number | "not indexed" | undefined {
    const seconds = secondsBehind.get(alias);
    if (seconds === undefined) return "not indexed";
    const most = this.#options.maxStalenessSeconds;
    return most === undefined || seconds <= most ? undefined : seconds;
  }
}

/** of chains in the heights of a state */
const ALIASES: Readonly<Record<PrimaryChain, string>> = ["P", "X", "C"];

function evmAlias({ evmChainId }: Pick<EvmChain, "evmChainId">): string {
  return `${evmChainId}`;
}
