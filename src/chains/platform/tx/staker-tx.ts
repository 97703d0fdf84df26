/** The transactions that add stakers, as the rows of stakers contain them, and their reward terms. */

import type { OutputOwners } from "../owner.ts";
import type { Staker } from "../state/staker.ts";
import { type AddAutoRenewedValidatorTx, addAutoRenewedValidator } from "./add-auto-renewed-validator.ts";
import { type AddDelegatorTx, addDelegator } from "./add-delegator.ts";
import { type AddPermissionlessDelegatorTx, addPermissionlessDelegator } from "./add-permissionless-delegator.ts";
import { type AddPermissionlessValidatorTx, addPermissionlessValidator } from "./add-permissionless-validator.ts";
import { addSubnetValidator } from "./add-subnet-validator.ts";
import { type AddValidatorTx, addValidator } from "./add-validator.ts";
import { anyOf } from "./base.ts";
import { signed, storedTx } from "./signed.ts";

/** Part of the registry: a kind that adds stakers is listed here instead. */
export const stakerDefinitions = [
  addValidator,
  addSubnetValidator,
  addDelegator,
  addPermissionlessValidator,
  addPermissionlessDelegator,
  addAutoRenewedValidator,
] as const;

const codec = signed(anyOf(stakerDefinitions));

export type DelegatorTx = AddDelegatorTx | AddPermissionlessDelegatorTx;
export type ValidatorTx = AddValidatorTx | AddPermissionlessValidatorTx | AddAutoRenewedValidatorTx;
export type StakerTx = ReturnType<typeof stakerTx>["unsigned"];

/** The transaction that added a staker. */
export function stakerTx(staker: Pick<Staker, "tx">) {
  return storedTx(codec, staker.tx);
}

/** The owners of a validator's rewards, and its share of its delegators' rewards, in millionths. */
interface RewardTerms {
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
