/** The transactions that make stakers with a stake of their own, as rows of stakers hold them. */
import { union } from "../../primitives/codec/struct.ts";
import type { OutputOwners } from "../owner.ts";
import type { Staker } from "../state/staker.ts";
import { txTypeIds } from "../type-ids.ts";
import { type AddAutoRenewedValidatorTx, addAutoRenewedValidator } from "./add-auto-renewed-validator.ts";
import { type AddDelegatorTx, addDelegator } from "./add-delegator.ts";
import { type AddPermissionlessDelegatorTx, addPermissionlessDelegator } from "./add-permissionless-delegator.ts";
import { type AddPermissionlessValidatorTx, addPermissionlessValidator } from "./add-permissionless-validator.ts";
import { addSubnetValidator } from "./add-subnet-validator.ts";
import { type AddValidatorTx, addValidator } from "./add-validator.ts";
import { signed, storedTx } from "./signed.ts";

const codec = signed(
  union(
    {
      12: addValidator.codec,
      13: addSubnetValidator.codec,
      14: addDelegator.codec,
      25: addPermissionlessValidator.codec,
      26: addPermissionlessDelegator.codec,
      40: addAutoRenewedValidator.codec,
    },
    txTypeIds,
  ),
);

export type DelegatorTx = AddDelegatorTx | AddPermissionlessDelegatorTx;
export type ValidatorTx = AddValidatorTx | AddPermissionlessValidatorTx | AddAutoRenewedValidatorTx;
export type StakerTx = ReturnType<typeof stakerTx>["unsigned"];

/** The transaction that made a staker. */
export function stakerTx(staker: Pick<Staker, "tx">) {
  return storedTx(codec, staker.tx);
}

/** Who gets a validator's rewards, and which part of its delegators' rewards it takes, in millionths. */
export interface RewardTerms {
  readonly validationRewardsOwner: OutputOwners;
  readonly delegationRewardsOwner: OutputOwners;
  readonly shares: number;
}

export function rewardTerms(tx: ValidatorTx): RewardTerms {
  switch (tx.kind) {
    case "AddValidatorTx":
      return { validationRewardsOwner: tx.rewardsOwner, delegationRewardsOwner: tx.rewardsOwner, shares: tx.shares };
    case "AddPermissionlessValidatorTx":
      return tx;
    case "AddAutoRenewedValidatorTx":
      return { ...tx, shares: tx.delegationShares };
  }
}
