/**
 * Ends a staking period: the stake goes back to its owners and, on commit, the reward is paid. The block's builder makes it, without
 * signatures. Rules: chain-rules 11.4.
 */

import { formatNodeId } from "../../../base/bytes/cb58.ts";
import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import { type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { isActive } from "../../../network/network.ts";
import { id } from "../output.ts";
import { splitReward } from "../rewards.ts";
import type { Staker } from "../state/staker.ts";
import { type Branch, defineTx, type TxContext } from "./base.ts";
import { forfeitReward, nextToReward, Payout, verifyNoCredentials } from "./reward-rules.ts";
import { returnStake } from "./stake.ts";
import { type DelegatorTx, rewardTerms, type StakerTx, stakerTx, type ValidatorTx } from "./staker-tx.ts";

const codec = variant("RewardValidatorTx", { txId: id });
export type RewardValidatorTx = Value<typeof codec>;

type RewardedValidatorTx = Exclude<ValidatorTx, { kind: "AddAutoRenewedValidatorTx" }>;

/** A staking period that ended with the reward transaction `txId`. */
interface PeriodEnd {
  readonly txId: Id;
  readonly staker: Staker;
}

export const rewardValidator = defineTx<RewardValidatorTx>({
  name: "RewardValidatorTx",
  typeId: 20,
  codec,
  names: () => [],
  keysRead: () => [],
  verifyForm() {},
  propose(tx, context, branch) {
    const { state } = context;
    if (tx.unsigned.txId === EMPTY_ID) throw new RuleError("invalid-id", "invalid ID");
    verifyNoCredentials(tx);
    const staker = nextToReward(tx.unsigned.txId, state);
    const origin = rewarded(stakerTx(staker).unsigned);
    returnStake(staker.txId, origin, state);
    if (origin.kind === "AddDelegatorTx" || origin.kind === "AddPermissionlessDelegatorTx") {
      // read on both branches: without its validator a delegator cannot be rewarded on either
      const validator = delegatee(staker, context);
      if (branch === "commit") payDelegator({ txId: tx.id, staker }, origin, validator, context);
    } else {
      payValidator({ txId: tx.id, staker }, origin, context, branch);
    }
    state.deleteStaker(staker, { reason: branch === "commit" ? "rewarded" : "forfeited", txId: tx.id });
    if (branch === "abort") forfeitReward(staker, state);
  },
});

/** Permissioned validators leave without a reward; auto-renewed ones have a reward transaction of their own. */
function rewarded(origin: StakerTx): RewardedValidatorTx | DelegatorTx {
  if (origin.kind !== "AddSubnetValidatorTx" && origin.kind !== "AddAutoRenewedValidatorTx") return origin;
  throw new RuleError("unexpected-staker-tx", `unexpected staker transaction type: *txs.${origin.kind}`);
}

function payoutOf(end: PeriodEnd, origin: RewardedValidatorTx | DelegatorTx, { state }: TxContext): Payout {
  return new Payout(state, end, end.staker.txId, origin.outputs.length + origin.stake.length, origin.stake[0]!.assetId);
}

/** The validator gets its part of its delegators' rewards on both branches. */
function payValidator(end: PeriodEnd, origin: RewardedValidatorTx, context: TxContext, branch: Branch): void {
  const { staker } = end;
  const payout = payoutOf(end, origin, context);
  const { validationRewardsOwner, delegationRewardsOwner } = rewardTerms(origin);
  if (branch === "commit") payout.pay("VALIDATOR", staker.potentialReward, validationRewardsOwner);
  const { delegateeReward } = context.state.stakingInfo(staker.subnetId, staker.nodeId);
  payout.pay("VALIDATOR_FEE", delegateeReward, delegationRewardsOwner);
}

function delegatee({ subnetId, nodeId }: Staker, { state }: TxContext): { staker: Staker; origin: ValidatorTx } {
  const staker = state.currentValidator(subnetId, nodeId);
  if (staker === undefined) {
    throw new RuleError("no-delegatee", `failed to get whether ${formatNodeId(nodeId)} is a validator: not found`);
  }
  const origin = stakerTx(staker).unsigned;
  switch (origin.kind) {
    case "AddValidatorTx":
    case "AddPermissionlessValidatorTx":
    case "AddAutoRenewedValidatorTx":
      return { staker, origin };
    default:
      throw new RuleError("wrong-tx-type", "wrong transaction type");
  }
}

/** The validator's part is paid when the validator's own period ends; before Cortina it was paid at once. */
function payDelegator(end: PeriodEnd, origin: DelegatorTx, validator: { staker: Staker; origin: ValidatorTx }, context: TxContext): void {
  const { staker } = end;
  const { state, network } = context;
  const { delegationRewardsOwner, shares } = rewardTerms(validator.origin);
  const { shared, rest } = splitReward(staker.potentialReward, shares);
  const payout = payoutOf(end, origin, context);
  payout.pay("DELEGATOR", rest, origin.rewardsOwner);
  if (!isActive(network, "cortina", validator.staker.startTime)) {
    payout.pay("VALIDATOR_FEE", shared, delegationRewardsOwner);
  } else if (shared > 0n) {
    const { subnetId, nodeId } = staker;
    const { delegateeReward } = state.stakingInfo(subnetId, nodeId);
    state.setStakingInfo(subnetId, nodeId, { delegateeReward: delegateeReward + shared });
  }
}
