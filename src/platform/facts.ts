/** What happened when a P-chain block was accepted: the input of every projection. State rows are not here; they are in the view. */
import type { ConsumedUtxo, ProducedUtxo } from "../network/execution.ts";
import type { Id, NodeId } from "../primitives/id.ts";
import type { PlatformBlock } from "./block/block.ts";
import type { OutputOwners } from "./owner.ts";
import type { Staker } from "./state/staker.ts";
import type { L1ValidatorRow, ValidatorMember } from "./tables.ts";
import type { SignedTx } from "./tx/signed-tx.ts";

/** A block whose effects are now final. A proposal block becomes final together with its option, and comes first. */
export interface AcceptedPlatformBlock {
  readonly blockId: Id;
  readonly parentId: Id;
  readonly kind: PlatformBlock["kind"];
  readonly height: bigint;
  /** with codec version */
  readonly bytes: Uint8Array;
}

export interface PlatformFacts {
  /** one block, or proposal and option */
  readonly blocks: readonly AcceptedPlatformBlock[];
  /** height at which the effects count: the option's for a proposal */
  readonly height: bigint;
  /** chain time after the block, Unix seconds */
  readonly timestamp: bigint;
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
  /** members of validator sets that changed, primary network included */
  readonly validatorChanges: readonly ValidatorChange[];
  /** new blockchains, with their genesis, so that asset chains can be started */
  readonly createdChains: readonly {
    readonly chainId: Id;
    readonly subnetId: Id;
    readonly vmId: Id;
    readonly fxIds: readonly Id[];
    readonly genesis: Uint8Array;
  }[];
  /** everything that happened, in order; those that time brought come before the transactions of the block */
  readonly events: readonly PlatformEvent[];
  /** after the block, nAVAX */
  readonly accruedFees: bigint;
  /** current supply of the primary network after the block, nAVAX */
  readonly supply: bigint;
  readonly activeL1Validators: number;
}

export type PlatformEvent = TxEvent | StakerEvent | RewardEvent | L1ValidatorEvent | SubnetEvent | ChainEvent;

/** A transaction was decided; the events that it caused come before it. Genesis transactions are among them, at height 0. */
export interface TxEvent {
  readonly kind: "tx";
  readonly tx: SignedTx;
  /** false: the proposal was aborted */
  readonly isCommitted: boolean;
  /** the block that holds it */
  readonly blockId: Id;
  readonly height: bigint;
  /** place among the transactions of all blocks of these facts */
  readonly index: number;
  /** by this transaction: its own outputs, returned stake, rewards */
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
  readonly imported: readonly { readonly sourceChain: Id; readonly utxoIds: readonly Id[] }[];
  /** `bytes` of an element is a UTXO with codec version */
  readonly exported: readonly { readonly destinationChain: Id; readonly elements: readonly { key: Id; bytes: Uint8Array }[] }[];
}

/** A validator or delegator entered, was promoted, was renewed or left. */
export type StakerEvent =
  /** by its transaction or with genesis; `isPending`: its period has not begun */
  | { readonly kind: "staker-added"; readonly staker: Staker; readonly isPending: boolean }
  /** a pending one became current; `staker` has its potential reward */
  | { readonly kind: "staker-promoted"; readonly staker: Staker }
  /** a cycle of an auto-renewed validator ended and the next began; `txId` rewarded it */
  | { readonly kind: "staker-renewed"; readonly before: Staker; readonly after: Staker; readonly txId: Id }
  /**
   * `rewarded` and `forfeited` by a reward transaction, `removed` by a RemoveSubnetValidatorTx (`txId` names it),
   * `expired`: a permissioned one whose time was over
   */
  | ({ readonly kind: "staker-left"; readonly staker: Staker } & Departure);

export interface Departure {
  readonly reason: "rewarded" | "forfeited" | "removed" | "expired";
  readonly txId: Id | undefined;
}

/** A reward was paid. Comes before the event of the staker that leaves or is renewed. */
export interface RewardEvent {
  readonly kind: "reward";
  readonly rewardType: "VALIDATOR" | "DELEGATOR" | "VALIDATOR_FEE";
  /** the reward transaction */
  readonly txId: Id;
  /** the staker whose period ended */
  readonly staker: Staker;
  readonly owner: OutputOwners;
  readonly utxo: ProducedUtxo;
}

/** An L1 validator came, changed, ran dry or went. Balances are `endAccumulatedFee − accruedFees` if the former is not 0. */
export interface L1ValidatorEvent {
  readonly kind: "l1-validator";
  readonly validationId: Id;
  /** undefined: the continuous fee used its balance up */
  readonly txId: Id | undefined;
  readonly before: L1ValidatorRow | undefined;
  /** undefined: removed, with weight 0 */
  readonly after: L1ValidatorRow | undefined;
  /** at the time of the event, nAVAX */
  readonly accruedFees: bigint;
}

export type SubnetEvent =
  | { readonly kind: "subnet-created"; readonly subnetId: Id; readonly owner: OutputOwners }
  | { readonly kind: "subnet-owner"; readonly subnetId: Id; readonly txId: Id; readonly owner: OutputOwners }
  | { readonly kind: "subnet-transformed"; readonly subnetId: Id; readonly txId: Id }
  | {
      readonly kind: "subnet-converted";
      readonly subnetId: Id;
      readonly txId: Id;
      readonly managerChainId: Id;
      readonly managerAddress: Uint8Array;
    };

export interface ChainEvent {
  readonly kind: "chain-created";
  readonly chainId: Id;
  readonly subnetId: Id;
  readonly name: string;
  readonly vmId: Id;
}

export interface ValidatorChange {
  readonly subnetId: Id;
  readonly nodeId: NodeId;
  readonly before: ValidatorMember | undefined;
  readonly after: ValidatorMember | undefined;
}
