/** What a staking transaction says besides the staker's own record: owners, shares, key, staked outputs. */

import type { Id } from "../../../base/bytes/id.ts";
import { Recent } from "../../../base/collections/bounded-cache.ts";
import type { TransferableOutput } from "../../../chains/platform/output.ts";
import type { ProofOfPossession, Signer } from "../../../chains/platform/signer.ts";
import type { Staker } from "../../../chains/platform/state/staker.ts";
import { stakerTx } from "../../../chains/platform/tx/staker-tx.ts";
import type { ApiOwner } from "./owner-json.ts";

interface StakingTerms {
  /** staked outputs of the transaction; empty for permissioned validators, who stake nothing */
  readonly stake: readonly TransferableOutput[];
  readonly validationRewardsOwner?: ApiOwner;
  readonly delegationRewardsOwner?: ApiOwner;
  /** millionths */
  readonly delegationShares?: number;
  readonly signer?: ProofOfPossession;
  /** for auto-renewed validators */
  readonly validatorAuthority?: ApiOwner;
  readonly delegatorRewardsOwner?: ApiOwner;
}

/** Terms are kept across states of the chain: stakers outlive many of them, and their transactions never change. */
const known = new Recent<Id, StakingTerms>(50_000);

export function stakingTerms(staker: Staker): StakingTerms {
  let terms = known.get(staker.txId);
  if (terms === undefined) {
    terms = readTerms(staker);
    known.set(staker.txId, terms);
  }
  return terms;
}

function readTerms(staker: Staker): StakingTerms {
  const tx = stakerTx(staker).unsigned;
  switch (tx.kind) {
    case "AddValidatorTx":
      return {
        stake: tx.stake,
        validationRewardsOwner: tx.rewardsOwner,
        delegationRewardsOwner: tx.rewardsOwner,
        delegationShares: tx.shares,
      };
    case "AddPermissionlessValidatorTx": {
      const { stake, validationRewardsOwner, delegationRewardsOwner, signer } = tx;
      return { stake, validationRewardsOwner, delegationRewardsOwner, delegationShares: tx.shares, ...keyOf(signer) };
    }
    case "AddAutoRenewedValidatorTx": {
      const { stake, validationRewardsOwner, delegationRewardsOwner, delegationShares, signer, validatorAuthority } = tx;
      return { stake, validationRewardsOwner, delegationRewardsOwner, delegationShares, validatorAuthority, ...keyOf(signer) };
    }
    case "AddDelegatorTx":
    case "AddPermissionlessDelegatorTx":
      return { stake: tx.stake, delegatorRewardsOwner: tx.rewardsOwner };
    case "AddSubnetValidatorTx":
      return { stake: [] };
  }
}

function keyOf(signer: Signer): { signer?: ProofOfPossession } {
  return signer.kind === "ProofOfPossession" ? { signer } : {};
}
