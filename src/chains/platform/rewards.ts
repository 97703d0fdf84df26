/**
 * Computes a staker's reward, and the share of a delegator's reward (chain-rules 11.1–11.4). Amounts in nAVAX or the subnet's asset, times
 * in seconds.
 */

import { MAX_U64 } from "../../base/bytes/amount.ts";
import type { Network } from "../../network/network.ts";

/** Denominator of rates and shares. */
export const MILLION = 1_000_000n;
const HELICON_MIN_CONSUMPTION_RATE = 75_000n;
const HELICON_RAMP_SECONDS = 90n * 24n * 3600n;

/** Parameters of the primary network or of an elastic subnet. */
export interface RewardParameters {
  readonly maxConsumptionRate: bigint;
  readonly minConsumptionRate: bigint;
  readonly mintingPeriod: bigint;
  readonly supplyCap: bigint;
}

export interface Stake {
  readonly duration: bigint;
  readonly weight: bigint;
  /** supply of the staked asset before this reward */
  readonly supply: bigint;
}

export function reward(parameters: RewardParameters, { duration, weight, supply }: Stake): bigint {
  const { maxConsumptionRate, minConsumptionRate, mintingPeriod, supplyCap } = parameters;
  // if the genesis supply exceeds the cap, this wraps as on the node
  const remaining = BigInt.asUintN(64, supplyCap - supply);
  const rate = (maxConsumptionRate - minConsumptionRate) * duration + minConsumptionRate * mintingPeriod;
  const earned = (remaining * rate * weight * duration) / (mintingPeriod * MILLION * supply * mintingPeriod);
  return earned < remaining && earned <= MAX_U64 ? earned : remaining;
}

/**
 * The primary network's parameters for a stake that starts at `startTime`. From Helicon on the minimum rate moves to 7.5 % within 90 days.
 */
export function primaryRewardParameters(network: Network, startTime: bigint): RewardParameters {
  const { minConsumptionRate, maxConsumptionRate, mintingPeriod, supplyCap } = network.staking;
  const parameters = { maxConsumptionRate, minConsumptionRate, mintingPeriod, supplyCap };
  const elapsed = startTime - network.upgrades.times.helicon;
  if (elapsed < 0n || maxConsumptionRate < HELICON_MIN_CONSUMPTION_RATE) return parameters;
  const full = HELICON_MIN_CONSUMPTION_RATE - minConsumptionRate;
  // bigint division truncates towards zero, so the change is rounded down in either direction
  const change = elapsed >= HELICON_RAMP_SECONDS ? full : (full * elapsed) / HELICON_RAMP_SECONDS;
  return { ...parameters, minConsumptionRate: minConsumptionRate + change };
}

/** Splits an amount by `shares` in millionths. `shared` is the shareholder's part, rounded in its favour. */
export function splitReward(amount: bigint, shares: number): { shared: bigint; rest: bigint } {
  const restShares = MILLION - BigInt(shares);
  const product = restShares * amount;
  const rest = product > MAX_U64 ? restShares * (amount / MILLION) : product / MILLION;
  return { shared: amount - rest, rest };
}
