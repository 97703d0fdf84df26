/** Sets a staker's reward: computed when it enters the current set, and added to the supply at once (chain-rules 11.3). */
import { type Id, PRIMARY_NETWORK_ID } from "../../base/bytes/id.ts";
import { primaryRewardParameters, type RewardParameters, reward } from "./rewards.ts";
import type { PlatformState } from "./state/platform-state.ts";
import { transformation } from "./transformation.ts";

interface StakingPeriod {
  readonly subnetId: Id;
  readonly startTime: bigint;
  readonly endTime: bigint;
  readonly weight: bigint;
}

/** Computes the reward and adds it to the subnet's supply. */
export function mintPotentialReward(state: PlatformState, { subnetId, startTime, endTime, weight }: StakingPeriod): bigint {
  const supply = state.supply(subnetId);
  const earned = reward(rewardParameters(state, subnetId, startTime), { duration: endTime - startTime, weight, supply });
  state.setSupply(subnetId, BigInt.asUintN(64, supply + earned));
  return earned;
}

function rewardParameters(state: PlatformState, subnetId: Id, startTime: bigint): RewardParameters {
  if (subnetId === PRIMARY_NETWORK_ID) return primaryRewardParameters(state.network, startTime);
  const { maxConsumptionRate, minConsumptionRate, maximumSupply } = transformation(state, subnetId);
  const { mintingPeriod } = state.network.staking;
  return { maxConsumptionRate, minConsumptionRate, supplyCap: maximumSupply, mintingPeriod };
}
