/** A route in use: its path for the router, the readers of its parameters, its page tokens, and the writer of its answers. */
import type { TObject, TSchema } from "typebox";
import { runInTurns } from "../../base/work/in-turns.ts";
import type { Work } from "../../base/work/work.ts";
import { P_CHAIN, type PrimaryChain } from "../../index/primary/primary-chain.ts";
import type { Position } from "./context.ts";
import type { EvmChain } from "./evm/evm-chain.ts";
import type { Filter } from "./page-token-codec.ts";
import type { PageTokens } from "./page-tokens.ts";
import { type BodyReader, bodyReader, isTextList, type Reader, type Sent, textReader } from "./request-reader.ts";
import { type ResponseSteps, responseSteps } from "./response-writer.ts";
import { type AnyDataRoute, fullPath } from "./route.ts";

/** The parameters of a request before they are read. */
export interface SentRequest {
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
export interface ReadRequest {
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
