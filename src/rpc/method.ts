/** One JSON-RPC method: its name, the fields of its params, and what it answers. Methods are listed in `registry.ts`. */
import type { PendingStatus } from "../mempool/issuer.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { Id } from "../primitives/id.ts";
import type { NodeIdentity } from "../server/identity.ts";
import type { StoreReader } from "../store/store.ts";
import type { Development } from "./firn/development.ts";
import type { HealthReports } from "./health/report.ts";
import type { NodeFacts } from "./info/node-facts.ts";
import type { ParamFields, Params } from "./params.ts";
import type { JsonValue } from "./raw-json.ts";

/** The chain whose endpoint was called, e.g. `/ext/bc/X`. On endpoints without a chain (`/ext/info`) it is the P-chain. */
export interface EndpointChain {
  readonly chainId: Id;
  /** number of an asset chain in the store's tables */
  readonly chain?: number;
  /** prefix of its addresses: "P", "X", "C", or the blockchain ID */
  readonly alias: string;
}

/** Takes transactions that clients want issued, and tells what became of those that no block holds. */
export interface IssueContext {
  /**
   * Verifies at level `full` and issues: the transaction's ID, once it is accepted or waits in the mempool. Rejects with a CodecError if it
   * cannot be read, with a RuleError whose message is the node's text (without the API's own prefix) if it is not valid. Where nobody makes
   * blocks, a valid one is refused with an RpcError.
   */
  issue(chainId: Id, txBytes: Uint8Array, options?: { readonly viaWallet?: boolean }): Promise<Id>;
  /** of a transaction that no accepted block holds; undefined: unknown */
  status(chainId: Id, txId: Id): PendingStatus | undefined;
  /** a verified transaction that creates this chain waits for its block */
  isPendingChain(chainId: Id): boolean;
}

/** What a handler may use. Everything read through it comes from one committed state. */
export interface RpcContext {
  readonly reader: StoreReader;
  readonly network: NetworkInstance;
  /** Unix seconds; `--time` fixes it */
  readonly clock: bigint;
  readonly chain: EndpointChain;
  readonly node: NodeIdentity;
  readonly issueContext: IssueContext;
  /** what info.* and health.* tell about the process */
  readonly facts: NodeFacts;
  readonly health: HealthReports;
  /** what `firn.*` drives; undefined: this is no devnet */
  readonly development: Development | undefined;
  /**
   * A value made from the reader, kept by this process until a committed height moves. `name` must name everything the value depends
   * on besides the state, the chain included. Cache a RawJson of bytes for large answers.
   */
  cached<T>(name: string, make: () => Promise<T>): Promise<T>;
}

export interface MethodDefinition<F extends ParamFields> {
  /** service and method, e.g. "platform.getHeight" */
  readonly name: string;
  /** one sentence for the reference page */
  readonly summary: string;
  /** rows read and work done, whatever the length of history */
  readonly cost: string;
  readonly params: F;
  /** The answer depends on nothing but params and committed state, and is large: it is rendered once per height and kept as bytes. */
  readonly isRenderedOncePerHeight?: true;
  /** It waits for new states: its reader is the newest one at each read, and the heights in its answer are those after it. */
  readonly changesState?: true;
  handler(params: Params<F>, context: RpcContext): JsonValue | Promise<JsonValue>;
}

export interface Method {
  readonly name: string;
  readonly summary: string;
  readonly cost: string;
  readonly params: ParamFields;
  readonly isRenderedOncePerHeight?: true;
  readonly changesState?: true;
  handler(params: object, context: RpcContext): JsonValue | Promise<JsonValue>;
}

export function method<const F extends ParamFields>(definition: MethodDefinition<F>): Method {
  return definition as unknown as Method;
}
