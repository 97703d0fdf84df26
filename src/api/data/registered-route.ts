/** A route in use: its path for the router, the readers of its parameters, its page tokens, and the writer of its answers. */

import type { TObject, TSchema } from "typebox";
import type { Limits } from "../../base/limits.ts";
import { type RequestWork, runInTurns, type Work } from "../../base/work/work.ts";
import type { BuildFolder } from "../../evm/builds/build-folder.ts";
import type { Pictures } from "../../evm/nft/pictures.ts";
import { chainIdOf, P_CHAIN, type PrimaryChain } from "../../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { BudgetedReader } from "../../store/budgeted-reader.ts";
import type { StoreReader } from "../../store/store.ts";
import type { Caller } from "../access/access.ts";
import type { CommittedState } from "../state/committed-states.ts";
import type { HealthReports } from "../state/health-report.ts";
import type { KeptAnswers } from "../state/kept-answers.ts";
import type { Uptimes } from "../state/node-facts.ts";
import type { DataContext, DataSettings, Position } from "./context.ts";
import type { EvmChain, EvmChainDirectory } from "./evm/evm-chain.ts";
import type { Lasting } from "./lasting.ts";
import type { NetworkLabel } from "./network-labels.ts";
import type { Filter } from "./page-token-codec.ts";
import type { PageTokens } from "./page-tokens.ts";
import { type BodyReader, bodyReader, isTextList, type Reader, type Sent, textReader } from "./request-reader.ts";
import { type ResponseSteps, responseSteps } from "./response-writer.ts";
import { type AnyDataRoute, fullPath } from "./route.ts";
import type { WarpSigner } from "./signatures/warp-signer.ts";
import type { WebhookAccess } from "./webhooks/webhook-desk.ts";

// The context of one request: one committed state, the chain of its path, and the requested page.

/** What all requests of a process share. */
export interface ServingContext {
  readonly settings: DataSettings;
  readonly network: NetworkInstance;
  readonly limits: Limits;
  readonly label: NetworkLabel;
  /** Unix seconds, for answers that depend on the time */
  clock(): bigint;
  /** by how many seconds the clock of a devnet's state is ahead of the machine's; undefined: this is no devnet */
  readonly clockOffset?: ((reader: StoreReader) => Promise<bigint>) | undefined;
  readonly kept: KeptAnswers;
  readonly pictures: Pictures;
  readonly builds?: BuildFolder | undefined;
  /** undefined: nobody signs warp messages for this server */
  readonly warpSigner?: WarpSigner | undefined;
  readonly webhooks?: WebhookAccess | undefined;
  /** undefined: uptimes are not measured here */
  readonly uptimes?: Uptimes | undefined;
  reports(): HealthReports;
  /** undefined: this server has no EVM chains */
  readonly evmChains?: EvmChainDirectory | undefined;
}

/** The chains of a request. */
interface RequestedChains extends PathChains {
  readonly evm?: EvmChain | undefined;
  /** in order of their IDs */
  readonly allEvm: readonly EvmChain[];
  isAvailable(chain: EvmChain): boolean;
  /** whether the result of `isAvailable` depends on the time */
  readonly canExpire: boolean;
}

const NOBODY: Caller = { keyId: undefined };

/** The requested page, and how to make the token of the next one. */
interface RequestedPage {
  readonly after: Position | undefined;
  seal(position: Position): string;
}

const LAST_PAGE = {};

export class DataRequestContext implements DataContext {
  readonly reader: StoreReader;
  readonly work: RequestWork;
  readonly #serving: ServingContext;
  readonly #state: CommittedState;
  readonly #chains: RequestedChains;
  readonly #page: RequestedPage;
  readonly caller: Caller;
  #clock: bigint | undefined;
  /** whether the handler read health or the age of an index */
  #hasReadHealth = false;

  constructor(
    serving: ServingContext,
    state: CommittedState,
    work: RequestWork,
    chains: RequestedChains,
    page: RequestedPage,
    caller: Caller = NOBODY,
  ) {
    this.caller = caller;
    this.reader = new BudgetedReader(state.reader, work, serving.limits);
    this.work = work;
    this.#serving = serving;
    this.#state = state;
    this.#chains = chains;
    this.#page = page;
  }

  get settings(): DataSettings {
    return this.#serving.settings;
  }

  get network(): NetworkInstance {
    return this.#serving.network;
  }

  get label(): NetworkLabel {
    return this.#serving.label;
  }

  /** For routes that name `chains`. */
  get chain(): PrimaryChain | undefined {
    return this.#chains.primary;
  }

  /** For routes with `evm: "chain"`. */
  get evmChain(): EvmChain | undefined {
    return this.#chains.evm;
  }

  get evmChains(): readonly EvmChain[] {
    return this.#chains.allEvm;
  }

  isAvailable(chain: EvmChain): boolean {
    if (this.#chains.canExpire) this.#hasReadHealth = true;
    return this.#chains.isAvailable(chain);
  }

  /** Stays the same throughout a request. */
  readClock(): bigint {
    this.#clock ??= this.#serving.clock();
    return this.#clock;
  }

  get generation(): number | undefined {
    return this.#state.generation;
  }

  get platformHeight(): bigint {
    return this.heightOf(P_CHAIN) ?? 0n;
  }

  heightOf(chain: PrimaryChain): bigint | undefined {
    const chainId = chainIdOf(chain, this.network);
    return this.#state.chains.find((one) => one.chainId === chainId)?.height;
  }

  get clockOffset(): Promise<bigint> | undefined {
    return this.#serving.clockOffset?.(this.reader);
  }

  get pictures(): Pictures {
    return this.#serving.pictures;
  }

  get builds(): BuildFolder | undefined {
    return this.#serving.builds;
  }

  get warpSigner(): WarpSigner | undefined {
    return this.#serving.warpSigner;
  }

  get webhooks(): WebhookAccess | undefined {
    return this.#serving.webhooks;
  }

  get kept(): KeptAnswers {
    return this.#serving.kept;
  }

  /** How long the answer stays the same; undefined: it is not known, since the server's health is in it. */
  get lasting(): Lasting | undefined {
    return this.#hasReadHealth ? undefined : { clock: this.#clock };
  }

  readHealth(): HealthReports {
    this.#hasReadHealth = true;
    return this.#serving.reports();
  }

  get uptimes(): Uptimes | undefined {
    return this.#serving.uptimes;
  }

  get after(): Position | undefined {
    return this.#page.after;
  }

  nextPage(position: Position | undefined): { nextPageToken?: string } {
    return position === undefined ? LAST_PAGE : { nextPageToken: this.#page.seal(position) };
  }

  async cached<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.#state.cache.get(`data ${name}`, this.work, make);
  }
}

/** The parameters of a request before they are read. */
interface SentRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Sent;
  readonly body: unknown;
}

/** The chains in the path of a request. */
export interface PathChains {
  /** `{blockchainId}` */
  readonly primary?: PrimaryChain | undefined;
  /** `{chainId}` */
  readonly evm?: Pick<EvmChain, "evmChainId"> | undefined;
}

/** The parameters for the handler, and the requested page. */
interface ReadRequest {
  readonly params: object;
  readonly query: object;
  readonly body: object | undefined;
  readonly after: Position | undefined;
  seal(position: Position): string;
}

/** Parameters that a page token does not carry, and that may change between pages. */
const PAGE_PARAMETERS = new Set(["pageToken", "pageSize"]);

export class RegisteredRoute {
  readonly route: AnyDataRoute;
  /** path for the router: `/v1/networks/:network/addresses::listChainIds` */
  readonly routerPath: string;
  readonly #tokens: PageTokens;
  readonly #params: Reader;
  readonly #query: Reader;
  readonly #body: BodyReader | undefined;
  readonly #isPaged: boolean;
  readonly #queryFilters: readonly string[];
  readonly #bodyFilters: readonly string[];
  #write: ResponseSteps | undefined;

  constructor(route: AnyDataRoute, tokens: PageTokens) {
    this.route = route;
    this.routerPath = fullPath(route)
      .replaceAll(":", "::")
      // otherwise the parameter would include the verb after it
      .replace(/\{(\w+)\}(?=::)/g, ":$1([^:]+)")
      .replace(/\{(\w+)\}/g, ":$1");
    this.#tokens = tokens;
    this.#params = route.params === undefined ? () => ({}) : textReader(route.params);
    this.#query = textReader(route.query);
    this.#body = route.body === undefined ? undefined : bodyReader(route.body);
    this.#isPaged = membersOf(route.query).includes("pageToken");
    this.#queryFilters = membersOf(route.query).filter((name) => !PAGE_PARAMETERS.has(name));
    this.#bodyFilters = route.body === undefined ? [] : membersOf(route.body);
  }

  /** Chains of the primary network that must be indexed, and fresh if the operator requires it. */
  chainsNeeded(chain: PrimaryChain | undefined): readonly PrimaryChain[] {
    return this.route.needs ?? (this.route.evm === undefined ? [chain ?? P_CHAIN] : []);
  }

  /** Whether the EVM chain of the path must be indexed and fresh too. */
  get needsEvmChain(): boolean {
    return this.route.evm === "chain" && this.route.needs === undefined;
  }

  /** Throws 400. */
  read({ params, query, body }: SentRequest, chains: PathChains): ReadRequest {
    const list = this.#listName(params, chains);
    const token = this.#isPaged ? query.pageToken : undefined;
    const filters = this.#filters(query, body);
    if (typeof token !== "string") {
      return {
        params: this.#params(params),
        query: this.#query(query),
        body: this.#body?.(body),
        after: undefined,
        seal: (position) => this.#tokens.seal(list, position, filters),
      };
    }
    const opened = this.#tokens.open(list, token, filters);
    const sent = Object.fromEntries(opened.filters);
    return {
      params: this.#params(params),
      query: this.#query({ ...sent, ...(query.pageSize !== undefined && { pageSize: query.pageSize }) }),
      body: this.#body?.(sent),
      after: opened.position,
      seal: (position) => this.#tokens.seal(list, position, opened.filters),
    };
  }

  /** The first answer makes the writer, since most processes serve few routes. */
  write(answer: unknown, work: Work): string | Promise<string> {
    this.#write ??= responseSteps(this.route.response);
    return runInTurns(work, this.#write(answer));
  }

  /** A token is valid for the same operation on the same path, whichever names of network and chain the path uses. */
  #listName(params: Readonly<Record<string, string>>, { primary, evm }: PathChains): string {
    const resolved = new Set(["network", ...(primary === undefined ? [] : ["blockchainId"]), ...(evm === undefined ? [] : ["chainId"])]);
    const others = Object.entries(params).filter(([name]) => !resolved.has(name));
    const chain = evm === undefined ? (primary ?? null) : `${evm.evmChainId}`;
    return JSON.stringify([this.route.operationId, chain, ...others.map(([, value]) => withPlainHex(value))]);
  }

  #filters(query: Sent, body: unknown): Map<string, Filter> {
    const filters = new Map<string, Filter>();
    const collect = (names: readonly string[], from: Sent) => {
      for (const name of names) {
        const value = from[name];
        if (typeof value === "string" || isTextList(value)) filters.set(name, value);
      }
    };
    collect(this.#queryFilters, query);
    if (typeof body === "object" && body !== null) collect(this.#bodyFilters, body as Sent);
    return filters;
  }
}

/** EVM addresses are compared without case. */
function withPlainHex(value: string): string {
  return /^0x[0-9a-f]+$/i.test(value) ? value.toLowerCase() : value;
}

function membersOf(schema: TObject | TSchema): string[] {
  return Object.keys((schema as TObject).properties);
}
