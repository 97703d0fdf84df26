/** The effects of an accepted P-chain block, which are the input of every projection. State rows are not included; they are in the view. */

import type { Id, NodeId } from "../../base/bytes/id.ts";
import type { ConsumedUtxo, ProducedUtxo } from "../../network/execution.ts";
import type { PlatformBlock } from "./block.ts";
import type { OutputOwners } from "./owner.ts";
import type { Staker } from "./state/staker.ts";
import type { L1ValidatorRow, ValidatorMember } from "./tables.ts";
import type { SignedTx } from "./tx/registry.ts";

/** A block whose effects are now final. A proposal block becomes final together with its option, and comes before it. */
export interface AcceptedPlatformBlock {
  readonly blockId: Id;
  readonly parentId: Id;
  readonly kind: PlatformBlock["kind"];
  readonly height: bigint;
  /** with codec version */
  readonly bytes: Uint8Array;
}

export interface PlatformFacts {
  /** one block, or a proposal and its option */
  readonly blocks: readonly AcceptedPlatformBlock[];
  /** height of the block that has the effects; for a proposal, its option's */
  readonly height: bigint;
  /** chain time after the block, Unix seconds */
  readonly timestamp: bigint;
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
  /** members of validator sets that changed, including those of the primary network */
  readonly validatorChanges: readonly ValidatorChange[];
  /** new blockchains with their genesis, from which asset chains are started */
  readonly createdChains: readonly {
    readonly chainId: Id;
    readonly subnetId: Id;
    readonly vmId: Id;
    readonly fxIds: readonly Id[];
    readonly genesis: Uint8Array;
  }[];
  /** all events in order; those caused by the passing of time come before the block's transactions */
  readonly events: readonly PlatformEvent[];
  /** after the block, nAVAX */
  readonly accruedFees: bigint;
  /** current supply of the primary network after the block, nAVAX */
  readonly supply: bigint;
  readonly activeL1Validators: number;
}

export type PlatformEvent = TxEvent | StakerEvent | RewardEvent | L1ValidatorEvent | SubnetEvent | ChainEvent;

/** A transaction was decided; the events that it caused come before this one. Genesis transactions are included, at height 0. */
export interface TxEvent {
  readonly kind: "tx";
  readonly tx: SignedTx;
  /** false if the proposal was aborted */
  readonly isCommitted: boolean;
  /** the block that contains it */
  readonly blockId: Id;
  readonly height: bigint;
  /** index among the transactions of all blocks of these facts */
  readonly index: number;
  /** UTXOs that this transaction created: its own outputs, returned stake, rewards */
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
  readonly imported: readonly { readonly sourceChain: Id; readonly utxoIds: readonly Id[] }[];
  /** `bytes` of an element is a UTXO with codec version */
  readonly exported: readonly { readonly destinationChain: Id; readonly elements: readonly { key: Id; bytes: Uint8Array }[] }[];
}

/** A validator or delegator was added, promoted, renewed or removed. */
export type StakerEvent =
  /** added by its transaction or by genesis; `isPending`: its period has not begun */
  | { readonly kind: "staker-added"; readonly staker: Staker; readonly isPending: boolean }
  /** a pending staker became current; `staker` has its potential reward */
  | { readonly kind: "staker-promoted"; readonly staker: Staker }
  /** a cycle of an auto-renewed validator ended and the next began; `txId` rewarded it */
  | { readonly kind: "staker-renewed"; readonly before: Staker; readonly after: Staker; readonly txId: Id }
  /**
   * `rewarded` and `forfeited` by a reward transaction, `removed` by the RemoveSubnetValidatorTx `txId`, `expired` if a permissioned
   * validator's period ended
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

/** An L1 validator was added, changed, deactivated or removed. Its balance is `endAccumulatedFee − accruedFees` if the former is not 0. */
export interface L1ValidatorEvent {
  readonly kind: "l1-validator";
  readonly validationId: Id;
  /** undefined if the continuous fee has used up its balance */
  readonly txId: Id | undefined;
  readonly before: L1ValidatorRow | undefined;
  /** undefined if it was removed, with weight 0 */
  readonly after: L1ValidatorRow | undefined;
  /** at the time of the event, nAVAX */
  readonly accruedFees: bigint;
}

type SubnetEvent =
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
