/** A route as requests meet it: its path for the router, readers of its parameters, its page tokens, the writer of its answers. */
import type { TObject, TSchema } from "typebox";
import { P_CHAIN, type PrimaryChain } from "../index/primary/primary-chain.ts";
import type { Position } from "./context.ts";
import type { EvmChain } from "./evm/evm-chain.ts";
import type { Filter } from "./page-token-codec.ts";
import type { PageTokens } from "./page-tokens.ts";
import { type BodyReader, bodyReader, isTextList, type Reader, type Sent, textReader } from "./request-reader.ts";
import { type ResponseWriter, responseWriter } from "./response-writer.ts";
import { type AnyDataRoute, fullPath } from "./route.ts";

/** What a request sent, before it is read. */
export interface SentRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Sent;
  readonly body: unknown;
}

/** Chains that the path of a request names. */
export interface PathChains {
  /** of `{blockchainId}` */
  readonly primary?: PrimaryChain | undefined;
  /** of `{chainId}` */
  readonly evm?: Pick<EvmChain, "evmChainId"> | undefined;
}

/** What the handler gets, and the page that was asked for. */
export interface ReadRequest {
  readonly params: object;
  readonly query: object;
  readonly body: object | undefined;
  readonly after: Position | undefined;
  seal(position: Position): string;
}

/** Parameters that a page token neither carries nor is bound to. */
const PAGE_PARAMETERS = new Set(["pageToken", "pageSize"]);

export class RegisteredRoute {
  readonly route: AnyDataRoute;
  /** as the router writes it: `/v1/networks/:network/addresses::listChainIds` */
  readonly routerPath: string;
  readonly #tokens: PageTokens;
  readonly #params: Reader;
  readonly #query: Reader;
  readonly #body: BodyReader | undefined;
  readonly #isPaged: boolean;
  readonly #queryFilters: readonly string[];
  readonly #bodyFilters: readonly string[];
  #write: ResponseWriter | undefined;

  constructor(route: AnyDataRoute, tokens: PageTokens) {
    this.route = route;
    this.routerPath = fullPath(route)
      .replaceAll(":", "::")
      // a parameter would take in the verb behind it
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

  /** Chains of the primary network that must be indexed, and fresh if the operator says so. */
  chainsNeeded(chain: PrimaryChain | undefined): readonly PrimaryChain[] {
    return this.route.needs ?? (this.route.evm === undefined ? [chain ?? P_CHAIN] : []);
  }

  /** Whether the same holds of the EVM chain of the path. */
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

  /** The writer is made when the first answer is, since most processes serve few routes. */
  write(answer: unknown): string {
    this.#write ??= responseWriter(this.route.response);
    return this.#write(answer);
  }

  /** A token is good for the same operation on the same path, whatever the network and the chain were called. */
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

/** An EVM address in whatever case is the same address. */
function withPlainHex(value: string): string {
  return /^0x[0-9a-f]+$/i.test(value) ? value.toLowerCase() : value;
}

function membersOf(schema: TObject | TSchema): string[] {
  return Object.keys((schema as TObject).properties);
}
