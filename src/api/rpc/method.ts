/** One JSON-RPC method: its name, the fields of its params, and its handler. `registry.ts` lists all methods. */

import type { Id } from "../../base/bytes/id.ts";
import type { JsonValue } from "../../base/json/go-encode.ts";
import type { Awaitable } from "../../base/work/awaitable.ts";
import type { RequestWork } from "../../base/work/work.ts";
import type { PendingStatus } from "../../chains/mempool/issuer.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { StoreReader } from "../../store/store.ts";
import type { EndpointChain } from "../state/committed-states.ts";
import type { HealthReports } from "../state/health-report.ts";
import type { NodeIdentity } from "../state/identity.ts";
import type { KeptAnswers } from "../state/kept-answers.ts";
import type { LiveFacts, NodeFacts } from "../state/node-facts.ts";
import type { Development } from "./firn/development.ts";
import type { ParamFields, Params } from "./params.ts";

/** Takes transactions that clients issue, and knows the status of those that are in no block yet. */
export interface IssueContext {
  /**
   * Verifies at level `full` and issues. Resolves to the transaction's ID once it is accepted or waits in the mempool. Rejects with a
   * CodecError if the bytes cannot be read, and with a RuleError, whose message is the node's text (without the API's own prefix), if the
   * transaction is invalid. A follower passes a valid one to its nodes; if they refuse, or nobody makes blocks, it rejects with an RpcError.
   */
  issue(chainId: Id, txBytes: Uint8Array, options?: { readonly viaWallet?: boolean }): Promise<Id>;
  /** status of a transaction that is in no accepted block; undefined: unknown */
  status(chainId: Id, txId: Id): PendingStatus | undefined | Promise<PendingStatus | undefined>;
  /** whether a verified transaction that creates this chain waits for its block */
  isPendingChain(chainId: Id): boolean;
}

/**
 * Everything that a handler may use: the state, whose reads all come from one commit, and, if it says so by `beyondState`, what can change
 * without a new state.
 */
export interface RpcContext {
  /** reads one committed state, counts rows, and yields between reads */
  readonly reader: StoreReader;
  /** for loops without reads that may take longer than a millisecond */
  readonly work: RequestWork;
  /** within one generation history only grows; undefined if it is not known, which matches no other */
  readonly generation: number | undefined;
  readonly network: NetworkInstance;
  readonly chain: EndpointChain;
  readonly node: NodeIdentity;
  /** whether the server follows nodes, which answer some questions about the network themselves */
  readonly isFollower: boolean;
  /** whether this is a devnet, which `firn.*` drives */
  readonly isDevnet: boolean;
  /**
   * Whatever an answer can depend on besides request and state: the clock, and what the process learns in other ways. The answer of a
   * handler that has called this is not kept as the answer of the state.
   */
  beyondState(): BeyondState;
  /** what this server keeps of its answers */
  readonly kept: KeptAnswers;
  /**
   * Returns a value made from the reader, which this process keeps until a committed height changes. `name` must name everything that the
   * value depends on besides the state, including the chain. Cache large answers as a RawJson of bytes.
   */
  cached<T>(name: string, make: () => Awaitable<T>): Awaitable<T>;
}

export interface BeyondState {
  /** Unix seconds; `--time` fixes it */
  readonly clock: bigint;
  /** Unix nanoseconds, of the same instant as `clock` */
  readonly now: bigint;
  readonly issueContext: IssueContext;
  /** for info.* and health.*: what is known of the process */
  readonly facts: NodeFacts;
  /** the nodes that this server follows; undefined: there are none */
  readonly live?: LiveFacts | undefined;
  readonly health: HealthReports;
  /** the devnet that `firn.*` drives; undefined: this is not a devnet */
  readonly development: Development | undefined;
  /** A handler that passes on the answer of another node sets that node's name, for a header of the response. */
  passedFrom?: string | undefined;
}

interface MethodDefinition<F extends ParamFields> {
  /** service and method, e.g. "platform.getHeight" */
  readonly name: string;
  /** one sentence for the reference page */
  readonly summary: string;
  /** rows read and work done, which must not depend on the length of history */
  readonly cost: string;
  /** price under rate limits: 0 (free for everybody), 1 (no row), 10 (a few rows), 20 (a page), 50 or 100 (more) */
  readonly computeUnits: number;
  readonly params: F;
  /** Set it for a large answer that depends only on params and committed state: it is rendered once per height and kept as bytes. */
  readonly isRenderedOncePerHeight?: true;
  /** Set it for a method that waits for new states: each read uses the newest one, and the answer has the heights after it. */
  readonly changesState?: true;
  handler(params: Params<F>, context: RpcContext): Awaitable<JsonValue>;
}

export interface Method {
  readonly name: string;
  readonly summary: string;
  readonly cost: string;
  readonly computeUnits: number;
  readonly params: ParamFields;
  readonly isRenderedOncePerHeight?: true;
  readonly changesState?: true;
  handler(params: object, context: RpcContext): Awaitable<JsonValue>;
}

export function method<const F extends ParamFields>(definition: MethodDefinition<F>): Method {
  return definition as unknown as Method;
}
