/** Rules shared by all staking transactions: limits of stake and period, capacity for delegation (chain-rules 10.6–10.12). */

import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { EMPTY_SHORT_ID, type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { u64 } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { goTime, timeText } from "../../../network/go-time.ts";
import type { Network } from "../../../network/network.ts";
import { addAmounts } from "../flow.ts";
import { id, nodeId } from "../output.ts";
import { verifyOwner } from "../output-rules.ts";
import type { OutputOwners } from "../owner.ts";
import type { PlatformState } from "../state/platform-state.ts";
import type { Staker } from "../state/staker.ts";
import { transformation } from "../transformation.ts";
import type { TxContext } from "./base.ts";

/** Node, period and weight of a staker. From Durango on the start is ignored. */
export const validatorFields = { nodeId, start: u64, end: u64, weight: u64 };
export const subnetValidatorFields = { ...validatorFields, subnetId: id };

/** Bytes of `subnetValidatorFields`. */
export const SUBNET_VALIDATOR_BYTES = 20 + 8 + 8 + 8 + 32;

export interface StakingTime {
  readonly nodeId: NodeId;
  readonly start: bigint;
  readonly end: bigint;
  readonly weight: bigint;
}

export const MAX_SHARES = 1_000_000;
/** On the primary network a validator and its delegators weigh at most this many times the validator's own weight. */
export const MAX_WEIGHT_FACTOR = 5n;

export function tooLowWeight(): RuleError {
  return new RuleError("weight-too-low", "weight of this validator is too low");
}

/** Checks the form of weight and rewards owner. */
export function verifyStaker(weight: bigint, rewardsOwner: OutputOwners): void {
  within("failed to verify validator or rewards owner", () => {
    if (weight === 0n) throw tooLowWeight();
    verifyOwner(rewardsOwner);
  });
}

export function verifyShares(shares: number): void {
  if (shares <= MAX_SHARES) return;
  throw new RuleError("too-many-shares", `a staker can only require at most ${MAX_SHARES} shares from delegators`);
}

export function verifyRestakedShares(shares: number): void {
  if (shares <= MAX_SHARES) return;
  throw new RuleError("too-many-restaked-shares", `a staker can only restake at most ${MAX_SHARES} shares from rewards`);
}

export function verifyNodeId(value: NodeId): void {
  if (value === EMPTY_SHORT_ID) throw new RuleError("empty-node-id", "validator nodeID cannot be empty");
}

export function verifyDelegatedWeight(weight: bigint, staked: bigint): void {
  if (weight === staked) return;
  const text = `delegator weight is not equal to total stake weight, delegator weight ${weight} total stake weight ${staked}`;
  throw new RuleError("weight-mismatch", text);
}

export function verifyStakedWeight(weight: bigint, staked: bigint): void {
  if (weight === staked) return;
  throw new RuleError("weight-mismatch", `validator weight mismatch: weight ${weight} != stake ${staked}`);
}

export function verifyValidatorLimits(weight: bigint, shares: number, duration: bigint, rules: ValidatorRules): void {
  if (weight < rules.minStake) throw tooLowWeight();
  if (weight > rules.maxStake) throw new RuleError("weight-too-large", "weight of this validator is too large");
  if (shares < rules.minDelegationFee) throw new RuleError("fee-too-low", "staker charges an insufficient delegation fee");
  verifyDuration(duration, rules.duration);
}

/** Start and length of a staking period. */
export function stakingPeriod({ start, end }: StakingTime, { state }: TxContext): { start: bigint; end: bigint; duration: bigint } {
  const from = state.isActive("durango") ? state.timestamp : goTime(start);
  const to = goTime(end);
  return { start: from, end: to, duration: to - from };
}

/** Before Durango a staker must start after chain time. */
export function verifyStart(start: bigint, { state }: TxContext): void {
  if (state.isActive("durango") || state.timestamp < start) return;
  const text = `chain timestamp not before start time: ${timeText(state.timestamp)} >= ${timeText(start)}`;
  throw new RuleError("start-in-past", text);
}

export function verifyDuration(duration: bigint, { min, max }: { readonly min: bigint; readonly max: bigint }): void {
  if (duration < min) throw new RuleError("stake-too-short", "staking period is too short");
  if (duration > max) throw new RuleError("stake-too-long", "staking period is too long");
}

interface ValidatorRules {
  readonly assetId: Id;
  readonly minStake: bigint;
  readonly maxStake: bigint;
  readonly minDelegationFee: number;
  readonly duration: { readonly min: bigint; readonly max: bigint };
}

export function validatorRules(subnetId: Id, { state, network }: TxContext): ValidatorRules {
  if (subnetId === PRIMARY_NETWORK_ID) {
    const { minValidatorStake, maxValidatorStake, minDelegationFee, maxStakeDuration } = network.staking;
    const duration = { min: minValidatorDuration(network, state), max: maxStakeDuration };
    return { assetId: network.avaxAssetId, minStake: minValidatorStake, maxStake: maxValidatorStake, minDelegationFee, duration };
  }
  const { assetId, minValidatorStake, maxValidatorStake, minDelegationFee, ...rest } = transformation(state, subnetId);
  const duration = { min: BigInt(rest.minStakeDuration), max: BigInt(rest.maxStakeDuration) };
  return { assetId, minStake: minValidatorStake, maxStake: maxValidatorStake, minDelegationFee, duration };
}

function minValidatorDuration({ staking }: Network, state: PlatformState): bigint {
  return state.isActive("helicon") ? staking.heliconMinStakeDuration : staking.minStakeDuration;
}

interface DelegatorRules {
  readonly assetId: Id;
  readonly minStake: bigint;
  readonly duration: { readonly min: bigint; readonly max: bigint };
  readonly maxWeightFactor: bigint;
  /** most weight that a validator and its delegators may have */
  readonly maxWeight: bigint;
}

export function delegatorRules(subnetId: Id, { state, network }: TxContext): DelegatorRules {
  if (subnetId === PRIMARY_NETWORK_ID) {
    const { minDelegatorStake, maxValidatorStake, minStakeDuration, maxStakeDuration } = network.staking;
    return {
      assetId: network.avaxAssetId,
      minStake: minDelegatorStake,
      duration: { min: minStakeDuration, max: maxStakeDuration },
      maxWeightFactor: MAX_WEIGHT_FACTOR,
      maxWeight: maxValidatorStake,
    };
  }
  const rules = transformation(state, subnetId);
  return {
    assetId: rules.assetId,
    minStake: rules.minDelegatorStake,
    duration: { min: BigInt(rules.minStakeDuration), max: BigInt(rules.maxStakeDuration) },
    maxWeightFactor: BigInt(rules.maxValidatorWeightFactor),
    maxWeight: rules.maxValidatorStake,
  };
}

export function verifyStakedAsset(assetId: Id, expected: Id): void {
  if (assetId === expected) return;
  const text = `incorrect staked assetID: ${formatId(expected)} != ${formatId(assetId)}`;
  throw new RuleError("wrong-asset", text);
}

/** Checks that a subnet's validator validates the primary network during its whole period. */
export function verifyPrimaryValidator(node: NodeId, period: { readonly start: bigint; readonly end: bigint }, { state }: TxContext): void {
  const validator = state.validator(PRIMARY_NETWORK_ID, node);
  if (validator === undefined) {
    const text = `${formatNodeId(node)} isn't a current or pending validator of the primary network`;
    throw new RuleError("not-a-validator", text);
  }
  verifyWithin(period, validator);
}

/** Checks that a period lies within another staker's. */
export function verifyWithin({ start, end }: { readonly start: bigint; readonly end: bigint }, outer: Staker): void {
  if (start >= outer.startTime && end <= outer.endTime && end >= start) return;
  throw new RuleError("period-mismatch", "proposed staking period is not inside dependent staking period");
}

/** Checks that a validator can take on `weight` more during a period (chain-rules 10.9). */
export function verifyCapacity(
  validator: Staker,
  weight: bigint,
  maxWeight: bigint,
  period: { readonly start: bigint; readonly end: bigint },
  { state }: TxContext,
): void {
  if (addAmounts(highestWeight(state, validator, period), weight) <= maxWeight) return;
  throw new RuleError("over-delegated", "validator would be over delegated");
}

/** The highest weight that a validator and its delegators have together at any time of a period. */
export function highestWeight(state: PlatformState, validator: Staker, { start, end }: { start: bigint; end: bigint }): bigint {
  const current = state.currentDelegators(validator.subnetId, validator.nodeId);
  const pending = state.pendingDelegators(validator.subnetId, validator.nodeId);
  // Always the case from Durango on, even with thousands of delegators: none are pending, so the weight is never higher than now
  if (pending.length === 0 && current.length > 0 && current[0]!.endTime >= start)
    return state.stakedWeight(validator.subnetId, validator.nodeId);
  const changes = [
    ...pending.map(({ startTime, weight }) => ({ time: startTime, weight })),
    ...[...current, ...pending].map(({ endTime, weight }) => ({ time: endTime, weight: -weight })),
  ];
  // additions come first at a given time; the order among them does not change the maximum
  changes.sort((a, b) => (a.time === b.time ? Number(b.weight > 0n) - Number(a.weight > 0n) : a.time < b.time ? -1 : 1));
  let weight = current.reduce((total, delegator) => total + delegator.weight, validator.weight);
  let highest = 0n;
  for (const change of changes) {
    if (change.time > end) break;
    if (change.time >= start && weight > highest) highest = weight;
    weight += change.weight;
  }
  return weight > highest ? weight : highest;
}
