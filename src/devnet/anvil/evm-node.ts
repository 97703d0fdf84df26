/**
 * A chain's EVM as the rest of Firn uses it: a development EVM in a child process. Its state is derived from the blocks in the store,
 * so it may die at any time.
 */

import type { ShortId } from "../../base/bytes/id.ts";
import type { Limits } from "../../base/limits.ts";
import type { EvmChainSpec } from "./chains/evm-chain-spec.ts";
import type { EvmCall } from "./evm-call.ts";

export interface EvmOptions {
  /** limits for clients' calls; by default those of src/base/limits */
  readonly limits?: Limits;
  /** another binary with anvil's interface; by default the one in the package for this platform */
  readonly binary?: string;
  /** whether transactions without a chain ID are taken; by default they are refused, as on a node */
  readonly allowsUnprotectedTxs?: boolean;
  /** number of blocks between dumps of the child's state; by default Firn dumps where that saves about half a second of rebuilding */
  readonly blocksPerDump?: number;
  /**
   * the minimum gas price since Helicon, in aAVAX per gas, from 1 on: a C-chain without blocks begins with it, and others move towards it, as
   * with the node's `min-price-target`. By default they do not
   */
  readonly minGasPrice?: bigint;
  /** whether `safe` and `finalized` are the newest settled block, as on the C-chain since Helicon; by default they are the newest */
  readonly settles?: boolean;
  /** for tests: the base fee of a block with this time, in aAVAX per gas; by default the minimum */
  readonly baseFeeAt?: (timestamp: bigint) => bigint;
}

export interface EvmHealth {
  readonly isUp: boolean;
  /** the reason, for people */
  readonly problem?: string;
}

export interface EvmNode {
  /** the chain that it runs */
  readonly spec: EvmChainSpec;
  /** The base fee of a block that is made now, in aAVAX per gas. */
  baseFee(): Promise<bigint>;
  /** Answers once a child is running and all its blocks are committed. Rejects with an EvmRequestError if the child refuses. */
  request(method: string, params: unknown): Promise<unknown>;
  /**
   * Returns the child's answer to a client's call, under the same conditions and within limits. Transactions go through the child's pool
   * into a block; methods that would change the child behind Firn's back must not be forwarded. Places in the child are shared among
   * clients.
   */
  forward(call: EvmCall, client?: object): Promise<Buffer>;
  /** Like `forward` with a signed transaction, but with one that nobody signed: its signature is zero. Resolves with its hash. */
  issueUnsigned(transaction: Buffer, sender: ShortId, client?: object): Promise<string>;
  /**
   * The child's URL for subscriptions. It changes whenever the child starts, so read it when you connect. Clients' calls go through
   * `forward`.
   */
  readonly webSocketUrl: string;
  /**
   * Completes what the child tells a subscriber: a new head gains the members that nodes of the C-chain show. Every other message
   * stays as it is; nothing is left of a head whose block was taken back.
   */
  completeHead(message: Buffer): Promise<Buffer>;
  /**
   * Resolves once a child is alive, even if it still has blocks to rebuild; rejects with an EvmDownError if the first one could not be
   * started.
   */
  started(): Promise<void>;
  /** Resolves once requests are answered. */
  ready(): Promise<void>;
  health(): EvmHealth;
  stop(): Promise<void>;
}
