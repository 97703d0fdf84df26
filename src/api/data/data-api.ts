/**
 * Serves the Data API over HTTP. Fastify finds the route and reads the body. Everything after that is here, in this order: access, network,
 * chain, parameters, one committed state, its freshness, the handler. Every error becomes one of eight statuses with the same form of body.
 */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from "fastify";
import { formatId } from "../../base/bytes/cb58.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { echoed } from "../../base/text/go-text.ts";
import { LimitError, RequestWork, runInTurns, SharedMaking, UNLIMITED_WORK, type Work } from "../../base/work/work.ts";
import { Pictures } from "../../evm/nft/pictures.ts";
import type { MountedRequest } from "../../http/mounted-request.ts";
import { C_CHAIN, type PrimaryChain } from "../../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { answerIn } from "../../store/budgeted-reader.ts";
import { outageOf } from "../../store/outage.ts";
import { type AccessControl, type Admission, keysOf } from "../access/access.ts";
import type { AnswerCache } from "../state/answer-cache.ts";
import { type CommittedState, type CommittedStates, type MinHeights, minHeightsOf } from "../state/committed-states.ts";
import type { Freshness, FreshnessReader } from "../state/freshness.ts";
import { DataError, errorBody, notFound, overLimit, unexpected } from "./errors.ts";
import type { EvmChain } from "./evm/evm-chain.ts";
import { dataErrorOf } from "./framework-errors.ts";
import { isHostedAlone } from "./hosted-routes.ts";
import { shown } from "./ids.ts";
import { KeptParts } from "./kept-parts.ts";
import { type Lasting, lasts } from "./lasting.ts";
import { chainNameOf, labelOf, NetworkPaths, publicChainId } from "./network-labels.ts";
import type { DocumentOptions } from "./openapi/document.ts";
import type { PageTokens } from "./page-tokens.ts";
import { DataRequestContext, type PathChains, RegisteredRoute, type ServingContext } from "./registered-route.ts";
import type { AnyDataRoute } from "./route.ts";

/**
 * Resolves `{chainId}` of paths: a decimal EVM chain ID or a blockchain ID. The C-chain also has the public blockchain ID that clients
 * know.
 */
class EvmPaths {
  readonly #network: NetworkInstance;
  /** rises with every other list of chains */
  version = 0;
  #known: { readonly chains: readonly EvmChain[]; readonly sorted: readonly EvmChain[]; readonly byName: ReadonlyMap<string, EvmChain> };

  constructor(network: NetworkInstance) {
    this.#network = network;
    this.#known = { chains: [], sorted: [], byName: new Map() };
  }

  /** Sorted by EVM chain ID. */
  inOrder(chains: readonly EvmChain[]): readonly EvmChain[] {
    return this.#of(chains).sorted;
  }

  /** Finds one of these chains; throws 404. */
  chainOf(text: string, chains: readonly EvmChain[]): EvmChain {
    const { byName, sorted } = this.#of(chains);
    const chain = byName.get(text);
    if (chain !== undefined) return chain;
    const served = sorted.map(({ evmChainId }) => evmChainId);
    throw notFound(
      `chain ${shown(text)} is not served here; ${served.length === 0 ? "there are no EVM chains" : `use ${served.join(", ")}`}`,
    );
  }

  /** Kept while the array is the same. */
  #of(chains: readonly EvmChain[]) {
    if (this.#known.chains === chains) return this.#known;
    const sorted = [...chains].sort((a, b) => (a.evmChainId < b.evmChainId ? -1 : 1));
    const byName = new Map(chains.flatMap((chain) => this.#namesOf(chain).map((name): [string, EvmChain] => [name, chain])));
    this.#known = { chains, sorted, byName };
    this.version++;
    return this.#known;
  }

  #namesOf({ evmChainId, settings: { blockchainId } }: EvmChain): string[] {
    if (blockchainId === undefined) return [`${evmChainId}`];
    const isOfNetwork = blockchainId === this.#network.cChainId;
    return [`${evmChainId}`, formatId(blockchainId), ...(isOfNetwork ? [publicChainId(C_CHAIN, labelOf(this.#network))] : [])];
  }
}

export interface DataApiOptions extends Omit<ServingContext, "label" | "parts" | "pictures"> {
  readonly routes: readonly AnyDataRoute[];
  readonly states: CommittedStates;
  readonly freshness: FreshnessReader;
  readonly tokens: PageTokens;
  readonly access: AccessControl;
  /** proxies whose X-Forwarded-For is trusted */
  readonly trustedProxies: readonly string[];
  /** returns why a web page may not make a change; undefined: it may */
  guardChanges(headers: IncomingHttpHeaders): string | undefined;
  /** a chain further behind its source is not served; undefined: no limit */
  readonly maxStalenessSeconds: number | undefined;
  /** called with errors that are defects of the server */
  onDefect(error: unknown, operation: string): void;
}

interface DataAnswer {
  readonly status: number;
  /** JSON. A large body that is sent often is an array of bytes, which is shared instead of copied. */
  readonly body: string | readonly Uint8Array[];
  /** operation ID of the route, or "none" */
  readonly operation: string;
  /** names and values, alternating */
  readonly headers: readonly string[];
  readonly freshness: Freshness;
  /** undefined: the body was made anew, or depends on more than the state, the time and the request */
  readonly kept?: Kept | undefined;
}

/** Where a body was found, and how long it may be given again. */
export interface Kept extends Lasting {
  readonly cache: AnswerCache;
}

export type Respond = (response: ServerResponse, answer: DataAnswer) => void;
type DataApi = (request: IncomingMessage, response: ServerResponse, mounted: MountedRequest) => void;

/** Key under which a request carries what the server passed on, since Fastify passes on only the request. */
const MOUNTED = Symbol("mounted");
type MountedMessage = IncomingMessage & { [MOUNTED]?: MountedRequest };

/** The turns that the server gave to this request. */
function workOf(request: IncomingMessage): Work {
  return (request as MountedMessage)[MOUNTED]?.work ?? UNLIMITED_WORK;
}

/** Unknown members of a body are ignored, also those called `__proto__` or `constructor`. */
const POISONING = "remove";
const NO_HEADERS: readonly string[] = [];
const NO_CHAINS: readonly EvmChain[] = [];

/** @param respond writes the answers */
export async function createDataApi(options: DataApiOptions, respond: Respond): Promise<DataApi> {
  const app = Fastify({
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: true },
    rewriteUrl: ({ url }) => withPlainColons(url!),
    frameworkErrors: (error, request, reply) => fail(error, request, reply),
  });
  // a body can only be JSON
  app.removeContentTypeParser("text/plain");
  const parseJson = app.getDefaultJsonParser(POISONING, POISONING);
  app.addContentTypeParser("application/json", (request, _, done) => {
    const reading = (request.raw as MountedMessage)[MOUNTED]!.readBody("dataBodyBytes");
    reading.then((body) => parseJson(request, body.toString(), done), done);
  });

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
    const path = request.raw.url!.split("?", 1)[0]!;
    const what = isHostedAlone(withPlainColons(path))
      ? `the hosted service has the route ${echoed(path)}; Firn does not`
      : `there is no route ${request.method} ${echoed(path)}`;
    fail(new DataError(404, `${what}; /docs lists all routes`), request, reply);
  });

  const serving: ServingContext = { ...options, label: labelOf(options.network), parts: new KeptParts(), pictures: new Pictures() };
  const operations = new Operations(options, serving);
  for (const route of options.routes) {
    const registered = new RegisteredRoute(route, options.tokens);
    app.route({
      method: route.method,
      url: registered.routerPath,
      handler: async (request, reply) => send(reply, await operations.answer(registered, request)),
    });
  }
  let document: readonly Uint8Array[] | undefined;
  const making = new SharedMaking();
  app.get("/v1/openapi.json", async ({ raw }, reply) => {
    const work = new RequestWork(workOf(raw));
    document ??= await making.get("document", work, () =>
      openApiBytes(options.routes, { label: serving.label, keyUse: options.access.keyUse }, work),
    );
    const answer = { status: 200, body: document, operation: "openapi", headers: NO_HEADERS, freshness: options.freshness.newest() };
    send(reply, answer);
  });
  await app.ready();
  return (request, response, mounted) => {
    (request as MountedMessage)[MOUNTED] = mounted;
    app.routing(request, response);
  };
}

/** Few clients ask for the document, so the first request makes it, one route per turn. */
async function openApiBytes(routes: readonly AnyDataRoute[], of: DocumentOptions, work: Work): Promise<readonly Uint8Array[]> {
  const { openApiSteps } = await import("./openapi/document.ts");
  return [Buffer.from(JSON.stringify(await runInTurns(work, openApiSteps(routes, of))))];
}

/** Decodes `%3A` to the colon of a verb; the router would compare it undecoded. */
function withPlainColons(url: string): string {
  if (!url.includes("%3")) return url;
  const end = url.indexOf("?");
  const path = end === -1 ? url : url.slice(0, end);
  return path.replace(/%3A/gi, ":") + url.slice(path.length);
}

function errorAnswer(error: DataError, operation: string, headers: readonly string[], freshness: Freshness): DataAnswer {
  return { status: error.status, body: errorBody(error), operation, headers, freshness };
}

interface Served {
  readonly body: string;
  readonly kept?: Kept | undefined;
}

interface KeptBody extends Lasting {
  readonly body: string;
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
    const { operationId, computeUnits, changes = false, status = 200 } = registered.route;
    let headers = NO_HEADERS;
    let freshness = this.#options.freshness.newest();
    try {
      const problem = changes ? this.#options.guardChanges(request.raw.headers) : undefined;
      if (problem !== undefined) throw new DataError(403, problem);
      const admission = this.#admit(request, computeUnits);
      const { headers: granted, refusal } = admission instanceof Promise ? await admission : admission;
      headers = granted;
      if (refusal !== undefined) throw new DataError(refusal.status, refusal.message);
      const { body, kept } = await this.#serve(registered, request, (known) => {
        freshness = known;
      });
      return { status, body, operation: operationId, headers, freshness, kept };
    } catch (error) {
      const refusal = error instanceof LimitError ? overLimit(error) : error;
      if (refusal instanceof DataError) return errorAnswer(refusal, operationId, headers, freshness);
      if (error instanceof FirnError && error.category === "min-height") {
        return errorAnswer(new DataError(400, error.message), operationId, headers, freshness);
      }
      const outage = outageOf(error);
      if (outage?.isKnown !== true) this.#options.onDefect(error, operationId);
      if (outage !== undefined) return errorAnswer(new DataError(503, outage.message), operationId, headers, freshness);
      return errorAnswer(unexpected(), operationId, headers, freshness);
    }
  }

  #admit(request: FastifyRequest, computeUnits: number): Admission | Promise<Admission> {
    const keys = keysOf(request.raw.headers);
    // a closed connection has no address
    const ip = (request.ip as string | undefined) ?? "";
    return this.#options.access.admit({ keys, ip }, computeUnits);
  }

  /** Returns the answer as JSON. Throws DataErrors; any other error is a defect. */
  async #serve(registered: RegisteredRoute, request: FastifyRequest, onFreshness: (known: Freshness) => void): Promise<Served> {
    const { route } = registered;
    const work = new RequestWork(workOf(request.raw));
    const least = minHeightsOf(request.raw.headers);
    const params = request.params as Record<string, string>;
    if (params.network !== undefined) this.#paths.checkNetwork(params.network);
    const primary = route.chains === undefined ? undefined : this.#paths.chainOf(params.blockchainId!, route.chains);
    const sent = { params, query: request.query as Record<string, unknown>, body: request.body };
    const readAtOnce = route.evm === undefined ? registered.read(sent, { primary }) : undefined;
    return this.#use(
      async (state) => {
        const freshness = await answerIn(state.reader, this.#options.freshness.of(state), work);
        onFreshness(freshness);
        const chains = { primary, ...(await this.#evmChains(route, params, state)) };
        const read = readAtOnce ?? registered.read(sent, chains);
        this.#requireFresh(registered, chains, freshness);
        const mayBeKept = route.method === "GET" && (route.isOfState ?? route.evm === undefined);
        // chains come before their first block, and with other settings, without a new state
        const listed = route.evm === undefined ? "" : ` of chains ${this.#evmPaths.version}`;
        const name = mayBeKept ? `data answer ${request.raw.url}${listed}` : undefined;
        const found = name === undefined ? undefined : state.cache.find<KeptBody>(name);
        if (found !== undefined && lasts(found, () => this.#serving.clock())) {
          const { body, clock } = found;
          // the list of chains may change with the state as it is
          return { body, kept: route.evm === undefined ? { cache: state.cache, clock } : undefined };
        }
        const isAvailable = (chain: EvmChain) => this.#staleness(evmAlias(chain), freshness) === undefined;
        const canExpire = this.#options.maxStalenessSeconds !== undefined;
        const context = new DataRequestContext(this.#serving, state, work, { ...chains, isAvailable, canExpire }, read);
        const body = await registered.write(await route.handle(read, context), work);
        if (name !== undefined && context.lasting !== undefined) state.cache.keep(name, { body, ...context.lasting } satisfies KeptBody);
        return { body };
      },
      least,
      work,
    );
  }

  /** All EVM chains and the one of the path, if the route is about EVM chains. */
  async #evmChains({ evm }: AnyDataRoute, { chainId }: Readonly<Record<string, string>>, state: CommittedState) {
    const chains = evm === undefined ? NO_CHAINS : ((await this.#serving.evmChains?.of(state)) ?? NO_CHAINS);
    return {
      allEvm: this.#evmPaths.inOrder(chains),
      evm: evm === "chain" ? this.#evmPaths.chainOf(chainId!, chains) : undefined,
    };
  }

  /** Answers 503 if the store cannot provide a state. An error after that is the route's. */
  async #use<R>(answer: (state: CommittedState) => Promise<R>, least: MinHeights | undefined, work: Work): Promise<R> {
    let hasState = false;
    try {
      return await this.#options.states.use(
        (state) => {
          hasState = true;
          return answer(state);
        },
        least,
        work,
      );
    } catch (error) {
      if (hasState || outageOf(error) !== undefined) throw error;
      this.#options.onDefect(error, "store");
      throw new DataError(503, "the store does not answer; the server's log has the cause");
    }
  }

  /** Throws 503 if a chain from which the answer is made is not indexed, or older than the operator allows. */
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

  /** Why the chain is not served: it is not indexed, or this many seconds behind; undefined: it is served. */
  #staleness(alias: string, { secondsBehind }: Freshness): number | "not indexed" | undefined {
    const seconds = secondsBehind.get(alias);
    if (seconds === undefined) return "not indexed";
    const most = this.#options.maxStalenessSeconds;
    return most === undefined || seconds <= most ? undefined : seconds;
  }
}

/** names of the chains in a state's heights */
const ALIASES: Readonly<Record<PrimaryChain, string>> = ["P", "X", "C"];

function evmAlias({ evmChainId }: Pick<EvmChain, "evmChainId">): string {
  return `${evmChainId}`;
}
