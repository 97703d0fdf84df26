/**
 * Ends a cycle of an auto-renewed validator. On commit it is renewed with part of its rewards, or leaves if it was told to; on abort it
 * leaves. Rules: chain-rules 12.3–12.5. The rewards are UTXOs of this transaction, not of the staking one.
 */

import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import { u64, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { addAmounts } from "../flow.ts";
import { id } from "../output.ts";
import { mintPotentialReward } from "../potential-reward.ts";
import { splitReward } from "../rewards.ts";
import type { StakingInfo } from "../state/platform-state.ts";
import type { Staker } from "../state/staker.ts";
import type { AddAutoRenewedValidatorTx } from "./add-auto-renewed-validator.ts";
import { defineTx, type TxContext } from "./base.ts";
import { forfeitReward, nextToReward, Payout, verifyNoCredentials } from "./reward-rules.ts";
import { returnStake } from "./stake.ts";
import { stakerTx } from "./staker-tx.ts";

const codec = variant("RewardAutoRenewedValidatorTx", { txId: id, timestamp: u64 });
export type RewardAutoRenewedValidatorTx = Value<typeof codec>;

/** A cycle that ends. */
interface Cycle {
  /** the reward transaction */
  readonly txId: Id;
  readonly staker: Staker;
  readonly origin: AddAutoRenewedValidatorTx;
  readonly info: StakingInfo;
  readonly payout: Payout;
}

export const rewardAutoRenewedValidator = defineTx<RewardAutoRenewedValidatorTx>({
  name: "RewardAutoRenewedValidatorTx",
  typeId: 42,
  codec,
  names: () => [],
  keysRead: () => [],
  verifyForm(tx) {
    if (tx.txId === EMPTY_ID) throw new RuleError("missing-tx-id", "missing tx id");
    if (tx.timestamp === 0n) throw new RuleError("missing-timestamp", "missing timestamp");
  },
  propose(tx, context, branch) {
    const { state, network } = context;
    const { txId, timestamp } = tx.unsigned;
    verifyNoCredentials(tx);
    if (timestamp !== state.timestamp) throw new RuleError("invalid-timestamp", "invalid timestamp");
    const staker = nextToReward(txId, state);
    const origin = stakerTx(staker).unsigned;
    if (origin.kind !== "AddAutoRenewedValidatorTx") throw new RuleError("not-auto-renewed", "expected auto renewed staker");
    const info = state.stakingInfo(staker.subnetId, staker.nodeId);
    const payout = new Payout(state, { txId: tx.id, staker }, tx.id, 0, network.avaxAssetId);
    const cycle = { txId: tx.id, staker, origin, info, payout };
    if (branch === "abort") {
      leave(cycle, "forfeited", info.accruedValidationRewards, context);
      forfeitReward(staker, state);
    } else if (info.nextPeriod === 0n) {
      leave(cycle, "rewarded", addAmounts(staker.potentialReward, info.accruedValidationRewards), context);
    } else {
      renew(cycle, context);
    }
  },
});

/** Returns the stake and everything restaked so far. The validator gets its part of its delegators' rewards on both branches. */
function leave(cycle: Cycle, reason: "rewarded" | "forfeited", validationRewards: bigint, { state }: TxContext): void {
  const { txId, staker, origin, info, payout } = cycle;
  returnStake(staker.txId, origin, state);
  payout.pay("VALIDATOR", validationRewards, origin.validationRewardsOwner);
  payout.pay("VALIDATOR_FEE", addAmounts(info.delegateeReward, info.accruedDelegateeRewards), origin.delegationRewardsOwner);
  state.deleteStaker(staker, { reason, txId });
}

function renew({ txId, staker, origin, info, payout }: Cycle, { state, network }: TxContext): void {
  const restaked = restakedRewards(staker, info, network.staking.maxValidatorStake);
  payout.pay("VALIDATOR", staker.potentialReward - restaked.validation, origin.validationRewardsOwner);
  payout.pay("VALIDATOR_FEE", info.delegateeReward - restaked.delegatee, origin.delegationRewardsOwner);
  const { subnetId, nodeId, endTime: startTime } = staker;
  const endTime = startTime + info.nextPeriod;
  const weight = staker.weight + restaked.validation + restaked.delegatee;
  const potentialReward = mintPotentialReward(state, { subnetId, startTime, endTime, weight });
  state.renewValidator(staker, { ...staker, startTime, endTime, weight, potentialReward }, txId);
  state.setStakingInfo(subnetId, nodeId, {
    delegateeReward: 0n,
    accruedValidationRewards: info.accruedValidationRewards + restaked.validation,
    accruedDelegateeRewards: info.accruedDelegateeRewards + restaked.delegatee,
  });
}

/** The validator's weight must stay within the limit; the excess is paid out, in proportion. */
function restakedRewards(
  { potentialReward, weight }: Staker,
  info: StakingInfo,
  maxWeight: bigint,
): { validation: bigint; delegatee: bigint } {
  const validation = splitReward(potentialReward, info.autoCompoundRewardShares).shared;
  const delegatee = splitReward(info.delegateeReward, info.autoCompoundRewardShares).shared;
  const total = validation + delegatee;
  const capacity = maxWeight - weight;
  if (total <= capacity) return { validation, delegatee };
  const fitting = (validation * capacity) / total;
  return { validation: fitting, delegatee: capacity - fitting };
}
