/** Reads from a staker's transaction what lists of validators and delegators show but its record does not hold. */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import type { Staker } from "../../../chains/platform/state/staker.ts";
import { type DelegatorTx, rewardTerms, stakerTx, type ValidatorTx } from "../../../chains/platform/tx/staker-tx.ts";
import type { Validation } from "./staking-tables.ts";

type ValidatorOrigin = Pick<Validation, "signer" | "terms" | "isAutoRenewed">;

export function validatorOrigin(staker: Staker): ValidatorOrigin {
  const tx = stakerTx(staker).unsigned;
  switch (tx.kind) {
    case "AddSubnetValidatorTx":
      return { signer: undefined, terms: undefined, isAutoRenewed: false };
    case "AddValidatorTx":
    case "AddPermissionlessValidatorTx":
    case "AddAutoRenewedValidatorTx":
      return { signer: signerOf(tx), terms: termsOf(tx), isAutoRenewed: tx.kind === "AddAutoRenewedValidatorTx" };
    case "AddDelegatorTx":
    case "AddPermissionlessDelegatorTx":
      throw new TypeError(`a ${tx.kind} does not create a validator`);
  }
}

function signerOf(tx: ValidatorTx): Validation["signer"] {
  if (tx.kind === "AddValidatorTx" || tx.signer.kind === "Empty") return undefined;
  const { publicKey, proofOfPossession } = tx.signer;
  return { publicKey, proofOfPossession };
}

function termsOf(tx: ValidatorTx): Validation["terms"] {
  const { shares, validationRewardsOwner, delegationRewardsOwner } = rewardTerms(tx);
  const assetId = tx.stake[0]!.assetId;
  return { assetId, shares, validationOwner: validationRewardsOwner.addresses, delegationOwner: delegationRewardsOwner.addresses };
}

export function delegatorOrigin(staker: Staker): { assetId: Id; owner: ShortId[] } {
  const { stake, rewardsOwner } = stakerTx(staker).unsigned as DelegatorTx;
  return { assetId: stake[0]!.assetId, owner: rewardsOwner.addresses };
}
