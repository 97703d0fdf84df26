/**
 * What drives a chain that makes its own blocks: a devnet asks every chain in turn to admit issued transactions, to build a block on the
 * last accepted state, and to bring its mempool up to date once that block was executed. An issuer keeps nothing but its mempool; the
 * state is the view's, which it leaves as it found it.
 */
import type { ExecutionContext } from "../network/execution.ts";
import type { Id, NodeId } from "../primitives/id.ts";
import type { RowKey } from "../primitives/view.ts";

/** Where a transaction stands that is in no accepted block. */
export type PendingStatus =
  | { kind: "processing" /** where an API tells the transaction too */; bytes?: Uint8Array }
  | { kind: "dropped"; reason: string }
  | { kind: "rejected" };

export interface AdmitOptions {
  /** issued at the X-chain's wallet, which verifies nothing itself */
  readonly viaWallet?: boolean;
  /** takes what the release's mempool refuses although blocks may hold it */
  readonly skipsMempoolRules?: boolean;
}

/** A staker whose reward is to be decided. */
export interface RewardedStaker {
  readonly subnetId: Id;
  readonly nodeId: NodeId;
  readonly txId: Id;
}

export interface AdmitContext extends ExecutionContext {
  /** that warp messages are verified at: as for a block built now; by default the last accepted one */
  readonly pChainHeight?: bigint;
}

export interface BuildContext extends ExecutionContext {
  /** whether a staker's uptime suffices for its reward */
  prefersCommit(staker: RewardedStaker): boolean;
  /** of the proposervm header that the block will get: the epoch's from Granite on */
  readonly pChainHeight: bigint;
}

export interface BuiltBlock {
  /** without proposervm wrapper */
  readonly bytes: Uint8Array;
  readonly height: bigint;
  /** Unix seconds; an option's is its proposal's */
  readonly timestamp: bigint;
  readonly isOption: boolean;
  readonly txIds: readonly Id[];
}

export interface ChainIssuer<Tx extends { readonly id: Id } = { readonly id: Id }> {
  readonly chainId: Id;
  /** CodecError as the chain's own parse */
  parse(bytes: Uint8Array): Tx;
  /** The rows that `admit` reads besides resident ones. */
  admissionKeys(tx: Tx): RowKey[];
  /** Reads what `admit` needs and no row has, where there is such a thing; to be awaited before it, for all of a round at once. */
  prepare?(txs: readonly Tx[]): Promise<void>;
  /**
   * Verifies a transaction and takes it into the mempool; one that is there already is a success. Throws a RuleError with the node's
   * text, without the API's prefix.
   */
  admit(tx: Tx, context: AdmitContext, options?: AdmitOptions): void;
  /** The rows that the next `build` reads besides resident ones: those of at most a block's worth of transactions. */
  buildKeys(): RowKey[];
  /** The next block; undefined if there is nothing to do. A proposal is followed by its preferred option at the next call. */
  build(context: BuildContext): BuiltBlock | undefined | Promise<BuiltBlock | undefined>;
  /** To be called after a block was executed: its transactions and all that conflict with them leave the mempool. */
  accepted(block: BuiltBlock): void;
  /** Gives up transactions of a block that could not be executed: a defect, so that the next block can be built without them. */
  drop(txIds: readonly Id[], reason: string): void;
  /** Unix seconds from which on a block is due without any transaction; undefined if none ever is. */
  nextChange(clock: bigint): bigint | undefined;
  /** undefined for a transaction that is unknown here, or accepted */
  status(txId: Id): PendingStatus | undefined;
  /** Forgets everything: the state went back. */
  clear(): void;
}
