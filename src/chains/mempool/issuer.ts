/**
 * The interface of a chain that makes its own blocks. A devnet asks every chain in turn to admit issued transactions, to build a block on
 * the last accepted state, and to update its mempool once that block was executed. An issuer stores only its mempool; the state is in the
 * view, which it leaves unchanged.
 */

import type { Id, NodeId } from "../../base/bytes/id.ts";
import type { Change } from "../../base/table/table.ts";
import type { RowKey } from "../../base/table/view.ts";
import type { ExecutionContext } from "../../network/execution.ts";

/** The status of a transaction that is not in an accepted block. */
export type PendingStatus =
  | { kind: "processing" /** where an API tells the transaction too */; bytes?: Uint8Array }
  | { kind: "dropped"; reason: string }
  | { kind: "rejected" };

export interface AdmitOptions {
  /** issued at the X-chain's wallet, which does not verify transactions */
  readonly viaWallet?: boolean;
  /** admits what the release's mempool refuses although blocks may contain it */
  readonly skipsMempoolRules?: boolean;
}

/** A staker whose reward is to be decided. */
export interface RewardedStaker {
  readonly subnetId: Id;
  readonly nodeId: NodeId;
  readonly txId: Id;
}

export interface AdmitContext extends ExecutionContext {
  /** height at which warp messages are verified, as for a block built now; by default the last accepted one */
  readonly pChainHeight?: bigint;
}

export interface BuildContext extends ExecutionContext {
  /** whether a staker's uptime is sufficient for its reward */
  prefersCommit(staker: RewardedStaker): boolean;
  /** from the proposervm header that the block will get: the epoch's from Granite on */
  readonly pChainHeight: bigint;
}

export interface BuiltBlock {
  /** without the proposervm wrapper */
  readonly bytes: Uint8Array;
  readonly height: bigint;
  /** Unix seconds; an option has its proposal's */
  readonly timestamp: bigint;
  readonly isOption: boolean;
  readonly txIds: readonly Id[];
  /** to be committed with it, besides what follows from executing it */
  readonly rows?: readonly Change[];
}

export interface ChainIssuer<Tx extends { readonly id: Id } = { readonly id: Id }> {
  readonly chainId: Id;
  /** Throws the same CodecErrors as the chain's parser. */
  parse(bytes: Uint8Array): Tx;
  /** The rows that `admit` reads, except resident ones. */
  admissionKeys(tx: Tx): RowKey[];
  /** Reads what `admit` needs besides rows. Await it first, once for all transactions of a round. */
  prepare?(txs: readonly Tx[]): Promise<void>;
  /**
   * Verifies a transaction and adds it to the mempool; one that is already there counts as a success. Throws a RuleError with the node's
   * text, without the API's prefix.
   */
  admit(tx: Tx, context: AdmitContext, options?: AdmitOptions): void;
  /** The rows that the next `build` reads, except resident ones, for at most a block's worth of transactions. */
  buildKeys(): RowKey[];
  /** The next block; undefined if there is nothing to do. After a proposal, the next call returns its preferred option. */
  build(context: BuildContext): BuiltBlock | undefined | Promise<BuiltBlock | undefined>;
  /** Call this after a block was executed: its transactions and all that conflict with them leave the mempool. */
  accepted(block: BuiltBlock): void;
  /** Drops the transactions of a block that could not be executed, which is a defect, so that the next block is built without them. */
  drop(txIds: readonly Id[], reason: string): void;
  /** Unix seconds from which a block is due without a transaction; undefined if never. */
  nextChange(clock: bigint): bigint | undefined;
  /** undefined if the transaction is unknown here or accepted */
  status(txId: Id): PendingStatus | undefined;
  /** Drops everything, because the state was rolled back. */
  clear(): void;
}
