/** Events of a block of the P-chain, as its execution records them. */
import type { Id, NodeId } from "../../base/bytes/id.ts";
import type { ConsumedUtxo, ProducedUtxo } from "../../network/execution.ts";
import type { OutputOwners } from "./owner.ts";
import type { Staker } from "./state/staker.ts";
import type { L1ValidatorRow, ValidatorMember } from "./tables.ts";

export interface CreatedChain {
  readonly chainId: Id;
  readonly subnetId: Id;
  readonly vmId: Id;
  readonly fxIds: readonly Id[];
  readonly genesis: Uint8Array;
}

/** @typeParam Tx the transactions of the chain; who records events does not look into them */
export type EventOf<Tx> = TxEventOf<Tx> | StakerEvent | RewardEvent | L1ValidatorEvent | SubnetEvent | ChainEvent;

/** A transaction was decided; the events that it caused come before this one. Genesis transactions are included, at height 0. */
export interface TxEventOf<Tx> {
  readonly kind: "tx";
  readonly tx: Tx;
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
