/**
 * What a route of the Data API is: one definition gives path, validation, serialization, types, its part of the OpenAPI document, and its
 * price. A new route is its file and a line in `routes.ts`.
 */
import type { Static, TObject, TSchema } from "typebox";
import type { PrimaryChain } from "../index/primary/primary-chain.ts";
import type { DataContext } from "./context.ts";

export interface DataRoute<Q extends TObject, B extends TSchema, R extends TSchema, P extends TObject> {
  readonly method: "GET" | "POST";
  /**
   * Below `/v1`, in OpenAPI's form with a literal verb: `/networks/{network}/addresses:listChainIds`. `{network}`, `{blockchainId}` and
   * `{chainId}` are resolved before the handler runs, and are in the context; they need no schema.
   */
  readonly path: string;
  /** of the path; by default 1 */
  readonly version?: 2;
  /** unique, lower camel case: the official SDKs' name of the operation where they have one */
  readonly operationId: string;
  /** group in the documentation: "Primary network: UTXOs" */
  readonly tag: string;
  /** one sentence */
  readonly summary: string;
  /** more about rules, in Markdown */
  readonly description?: string;
  /** what a request costs, in rows read: "O(pageSize + owner groups of the addresses)" */
  readonly cost: string;
  /** price under rate limits */
  readonly computeUnits: number;
  /** of `{blockchainId}`: chains that the route takes; others are 400. Absent: the path has none, or the handler reads it itself */
  readonly chains?: readonly PrimaryChain[];
  /** of EVM chains: that of `{chainId}` in the path (`context.evmChain`; unknown ones are 404), or all (`context.evmChains`) */
  readonly evm?: "chain" | "all";
  /**
   * Chains that the answer is made from: if one is not indexed yet, or older than the operator allows, the route answers 503.
   * By default the chain of the path, or else the P-chain; of `evm: "all"` none. With `[]` the EVM chain of the path is not needed either.
   */
  readonly needs?: readonly PrimaryChain[];
  /** EVM routes only: the answer follows from rows alone, no chain's node was asked; it is kept until they change */
  readonly isOfState?: boolean;
  /** of success; by default 200 */
  readonly status?: 201;
  /** path parameters other than network, blockchainId and chainId */
  readonly params?: P;
  readonly query: Q;
  /** JSON body of a POST */
  readonly body?: B;
  readonly response: R;
  handle(request: { params: Static<P>; query: Static<Q>; body: Static<B> }, context: DataContext): Promise<Static<R>>;
}

/** `/v1/networks/{network}/subnets` */
export function fullPath({ version, path }: Pick<AnyDataRoute, "version" | "path">): string {
  return `/v${version ?? 1}${path}`;
}

// biome-ignore lint/suspicious/noExplicitAny: a route's own types are checked where it is defined
export type AnyDataRoute = DataRoute<any, any, any, any>;

export function dataRoute<Q extends TObject, R extends TSchema, B extends TSchema = TSchema, P extends TObject = TObject>(
  route: DataRoute<Q, B, R, P>,
): DataRoute<Q, B, R, P> {
  return route;
}
