/**
 * Defines a route of the Data API. One definition gives path, validation, serialization, types, its part of the OpenAPI document, and its
 * price. To add a route, write one file and one line in `routes.ts`.
 */
import type { Static, TObject, TSchema } from "typebox";
import type { PrimaryChain } from "../../index/primary/primary-chain.ts";
import type { Privilege } from "../access/tiers.ts";
import type { ChainContext, DataContext, EvmChainContext, EvmChainsContext } from "./context.ts";

/** The chains that a route declares; undefined: none. */
type Chains = readonly PrimaryChain[] | undefined;
type EvmChains = "chain" | "all" | undefined;

/** The context of a route's handler, by the chains that the route declares. */
type ContextOf<C extends Chains, E extends EvmChains> = (C extends readonly PrimaryChain[] ? ChainContext : DataContext) &
  (E extends "chain" ? EvmChainContext : E extends "all" ? EvmChainsContext : DataContext);

export type DataMethod = "GET" | "POST" | "PATCH" | "DELETE";

export interface DataRoute<
  Q extends TObject,
  B extends TSchema,
  R extends TSchema,
  P extends TObject,
  C extends Chains = undefined,
  E extends EvmChains = undefined,
> {
  readonly method: DataMethod;
  /**
   * Path below `/v1`, in OpenAPI's form with a literal verb: `/networks/{network}/addresses:listChainIds`. `{network}`, `{blockchainId}`
   * and `{chainId}` are resolved before the handler runs; they are in the context and need no schema.
   */
  readonly path: string;
  /** version in the path; 1 by default */
  readonly version?: 2;
  /** unique, lower camel case: the operation's name in the official SDKs, if it has one */
  readonly operationId: string;
  /** group in the documentation: "Primary network: UTXOs" */
  readonly tag: string;
  /** one sentence */
  readonly summary: string;
  /** further rules, in Markdown */
  readonly description?: string;
  /** what a request costs, in rows read: "O(pageSize + owner groups of the addresses)" */
  readonly cost: string;
  /** price under rate limits */
  readonly computeUnits: number;
  /**
   * Chains that the route accepts as `{blockchainId}` (`context.chain`); others are 400. Absent: the path has none, or the handler reads it
   * itself.
   */
  readonly chains?: C;
  /**
   * EVM chains of the route: "chain" is that of `{chainId}` in the path (`context.evmChain`; unknown ones are 404), "all" is all
   * (`context.evmChains`), or those that `{chainId}` in the path names
   */
  readonly evm?: E;
  /**
   * Chains from which the answer is made. If one is not indexed yet, or older than the operator allows, the route answers 503. The default
   * is the chain of the path, or else the P-chain; for `evm: "all"` it is none. With `[]` the EVM chain of the path is not needed either.
   */
  readonly needs?: readonly PrimaryChain[];
  /** EVM routes only: the answer depends on rows alone, not on the chain's node, so it is kept until they change */
  readonly isOfState?: boolean;
  /** the request changes something, so not every web page may send it */
  readonly changes?: true;
  /** The answer is the caller's own (`context.caller`), whose key needs this privilege. Absent: it is the same for all. */
  readonly caller?: Privilege;
  /** of the body; `dataBodyBytes` by default */
  readonly bodyLimit?: "buildBodyBytes";
  /** status of success; 200 by default */
  readonly status?: 201;
  /** path parameters other than network, blockchainId and chainId */
  readonly params?: P;
  readonly query: Q;
  /** JSON body */
  readonly body?: B;
  readonly response: R;
  handle(request: { params: Static<P>; query: Static<Q>; body: Static<B> }, context: ContextOf<C, E>): Promise<Static<R>>;
}

/** `/v1/networks/{network}/subnets` */
export function fullPath({ version, path }: Pick<AnyDataRoute, "version" | "path">): string {
  return `/v${version ?? 1}${path}`;
}

// biome-ignore lint/suspicious/noExplicitAny: a route's own types are checked where it is defined
export type AnyDataRoute = DataRoute<any, any, any, any, any, any>;

export function dataRoute<
  Q extends TObject,
  R extends TSchema,
  B extends TSchema = TSchema,
  P extends TObject = TObject,
  C extends Chains = undefined,
  E extends EvmChains = undefined,
>(route: DataRoute<Q, B, R, P, C, E>): DataRoute<Q, B, R, P, C, E> {
  return route;
}
