/**
 * Serves the Data API over HTTP, in this order: route and body (routing.ts), access, network, chain, parameters, one committed state, its
 * freshness, the handler. Every error becomes one of eight statuses with the same form of body.
 */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { formatId } from "../../base/bytes/cb58.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { LimitError, RequestWork, runInTurns, SharedMaking, type Work } from "../../base/work/work.ts";
import { Pictures } from "../../evm/nft/pictures.ts";
import { type ClientOfRequest, clientOfRequest } from "../../http/client-of-request.ts";
import type { MountedRequest } from "../../http/mounted-request.ts";
import { C_CHAIN, type PrimaryChain } from "../../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { answerIn } from "../../store/budgeted-reader.ts";
import { outageOf } from "../../store/outage.ts";
import { type AccessControl, type Admission, type Caller, isRefusal, keysOf } from "../access/access.ts";
import type { Privilege } from "../access/tiers.ts";
import { type CommittedState, type CommittedStates, type MinHeights, minHeightsOf } from "../state/committed-states.ts";
import type { Freshness, FreshnessReader } from "../state/freshness.ts";
import { DataError, errorBody, notFound, overLimit, unexpected } from "./errors.ts";
import type { EvmChain } from "./evm/evm-chain.ts";
import { shown } from "./ids.ts";
import { type Lasting, lasts } from "./lasting.ts";
import { chainNameOf, labelOf, NetworkPaths, publicChainId } from "./network-labels.ts";
import type { DocumentOptions } from "./openapi/document.ts";
import type { PageTokens } from "./page-tokens.ts";
import { DataRequestContext, type PathChains, RegisteredRoute, type ServingContext } from "./registered-route.ts";
import type { Sent } from "./request-reader.ts";
import type { AnyDataRoute } from "./route.ts";
import { Routes, readJsonBody } from "./routing.ts";

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

  /** One chain, or a group of them: `total`, `mainnet` or `testnet`. Throws 404. */
  chainsOf(text: string, chains: readonly EvmChain[]): readonly EvmChain[] {
    if (text === "total") return this.inOrder(chains);
    if (text === "mainnet" || text === "testnet")
      return this.inOrder(chains).filter(({ settings }) => settings.isTestnet === (text === "testnet"));
    return [this.chainOf(text, chains)];
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

export interface DataApiOptions extends Omit<ServingContext, "label" | "pictures"> {
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
}

export type Respond = (response: ServerResponse, answer: DataAnswer) => void;
type DataApi = (request: IncomingMessage, response: ServerResponse, mounted: MountedRequest) => void;

const NO_HEADERS: readonly string[] = [];
const NO_CHAINS: readonly EvmChain[] = [];

/** @param respond writes the answers */
export function createDataApi(options: DataApiOptions, respond: Respond): DataApi {
  const serving: ServingContext = { ...options, label: labelOf(options.network), pictures: new Pictures() };
  const operations = new Operations(options, serving);
  const routes = new Routes<RegisteredRoute | typeof DOCUMENT>();
  routes.add("GET", "/v1/openapi.json", DOCUMENT);
  for (const route of options.routes) {
    const registered = new RegisteredRoute(route, options.tokens);
    routes.add(route.method, registered.routerPath, registered);
  }
  const document = openApiDocument(options.routes, { label: serving.label, keyUse: options.access.keyUse });

  const answer = async (request: IncomingMessage, mounted: MountedRequest): Promise<DataAnswer> => {
    const freshness = options.freshness.newest();
    try {
      const { route, params, query } = routes.find(request);
      if (route === DOCUMENT) {
        return { status: 200, body: await document(mounted.work), operation: "openapi", headers: NO_HEADERS, freshness };
      }
      const body = route.route.method === "GET" ? undefined : await readJsonBody(request, mounted, route.route.bodyLimit);
      return await operations.answer(route, { request, work: mounted.work, params, query, body });
    } catch (error) {
      if (!(error instanceof DataError)) options.onDefect(error, "none");
      return errorAnswer(error instanceof DataError ? error : unexpected(), "none", NO_HEADERS, freshness);
    }
  };
  return (request, response, mounted) => void answer(request, mounted).then((answered) => respond(response, answered));
}

const DOCUMENT = "document";

/** Few clients ask for the document, so the first request makes it, one route per turn. */
function openApiDocument(routes: readonly AnyDataRoute[], of: DocumentOptions): (work: Work) => Promise<readonly Uint8Array[]> {
  let document: readonly Uint8Array[] | undefined;
  const making = new SharedMaking();
  return async (turns) => {
    const work = new RequestWork(turns);
    document ??= await making.get("document", work, async () => {
      const { openApiSteps } = await import("./openapi/document.ts");
      return [Buffer.from(JSON.stringify(await runInTurns(work, openApiSteps(routes, of))))];
    });
    return document;
  };
}

function errorAnswer(error: DataError, operation: string, headers: readonly string[], freshness: Freshness): DataAnswer {
  return { status: error.status, body: errorBody(error), operation, headers, freshness };
}

/** A request of a route, before its parameters are read. */
interface RoutedRequest {
  readonly request: IncomingMessage;
  /** the turns that the server gave to this request */
  readonly work: Work;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Sent;
  readonly body: unknown;
}

interface KeptBody extends Lasting {
  readonly body: string;
}

class Operations {
  readonly #options: DataApiOptions;
  readonly #serving: ServingContext;
  readonly #paths: NetworkPaths;
  readonly #evmPaths: EvmPaths;
  readonly #clients: ClientOfRequest;

  constructor(options: DataApiOptions, serving: ServingContext) {
    this.#options = options;
    this.#serving = serving;
    this.#paths = new NetworkPaths(options.network);
    this.#evmPaths = new EvmPaths(options.network);
    this.#clients = clientOfRequest(options.trustedProxies);
  }

  /** Never rejects. */
  async answer(registered: RegisteredRoute, routed: RoutedRequest): Promise<DataAnswer> {
    const { operationId, computeUnits, changes = false, status = 200, caller: privilege } = registered.route;
    let headers = NO_HEADERS;
    let freshness = this.#options.freshness.newest();
    try {
      const problem = changes ? this.#options.guardChanges(routed.request.headers) : undefined;
      if (problem !== undefined) throw new DataError(403, problem);
      const admission = this.#admit(routed.request, computeUnits);
      const { headers: granted, refusal } = admission instanceof Promise ? await admission : admission;
      headers = granted;
      if (refusal !== undefined) throw new DataError(refusal.status, refusal.message);
      const caller = privilege && this.#identify(routed.request, privilege);
      const body = await this.#serve(registered, routed, caller, (known) => {
        freshness = known;
      });
      return { status, body, operation: operationId, headers, freshness };
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

  #identify({ headers }: IncomingMessage, privilege: Privilege): Caller {
    const caller = this.#options.access.identify({ keys: keysOf(headers), ip: "", privilege });
    if (isRefusal(caller)) throw new DataError(caller.status, caller.message);
    return caller;
  }

  #admit({ headers, socket }: IncomingMessage, computeUnits: number): Admission | Promise<Admission> {
    // a closed connection has no address
    const ip = this.#clients.addressOf(socket.remoteAddress ?? "", headers["x-forwarded-for"] as string | undefined);
    return this.#options.access.admit({ keys: keysOf(headers), ip }, computeUnits);
  }

  /** Returns the answer as JSON. Throws DataErrors; any other error is a defect. */
  async #serve(
    registered: RegisteredRoute,
    routed: RoutedRequest,
    caller: Caller | undefined,
    onFreshness: (known: Freshness) => void,
  ): Promise<string> {
    const { route } = registered;
    const { request, params } = routed;
    const work = new RequestWork(routed.work);
    const least = minHeightsOf(request.headers);
    if (params.network !== undefined) this.#paths.checkNetwork(params.network);
    const primary = route.chains === undefined ? undefined : this.#paths.chainOf(params.blockchainId!, route.chains);
    const readAtOnce = route.evm === undefined ? registered.read(routed, { primary }) : undefined;
    return this.#use(
      async (state) => {
        const freshness = await answerIn(state.reader, this.#options.freshness.of(state), work);
        onFreshness(freshness);
        const chains = { primary, ...(await this.#evmChains(route, params, state)) };
        const read = readAtOnce ?? registered.read(routed, chains);
        this.#requireFresh(registered, chains, freshness);
        const mayBeKept = route.method === "GET" && caller === undefined && (route.isOfState ?? route.evm === undefined);
        // chains come before their first block, and with other settings, without a new state
        const listed = route.evm === undefined ? "" : ` of chains ${this.#evmPaths.version}`;
        const name = mayBeKept ? `data answer ${request.url}${listed}` : undefined;
        const found = name === undefined ? undefined : state.cache.find<KeptBody>(name);
        if (found !== undefined && lasts(found, () => this.#serving.clock())) return found.body;
        const isAvailable = (chain: EvmChain) => this.#staleness(evmAlias(chain), freshness) === undefined;
        const canExpire = this.#options.maxStalenessSeconds !== undefined;
        const context = new DataRequestContext(this.#serving, state, work, { ...chains, isAvailable, canExpire }, read, caller);
        const body = await registered.write(await route.handle(read, context), work);
        if (name !== undefined && context.lasting !== undefined) state.cache.keep(name, { body, ...context.lasting } satisfies KeptBody);
        return body;
      },
      least,
      work,
    );
  }

  /** All EVM chains and the one of the path, if the route is about EVM chains. */
  async #evmChains({ evm }: AnyDataRoute, { chainId }: Readonly<Record<string, string>>, state: CommittedState) {
    const chains = evm === undefined ? NO_CHAINS : ((await this.#serving.evmChains?.of(state)) ?? NO_CHAINS);
    return {
      allEvm: evm === "all" && chainId !== undefined ? this.#evmPaths.chainsOf(chainId, chains) : this.#evmPaths.inOrder(chains),
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
