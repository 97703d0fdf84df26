/** Chain time: how far it may advance, and the effects of advancing it (chain-rules 6). */

import { MAX_U64, smaller, subtractToZero } from "../../base/bytes/amount.ts";
import { RuleError } from "../../network/execution.ts";
import { goTime, timeText } from "../../network/go-time.ts";
import { isActive, type ValidatorFeeParameters } from "../../network/network.ts";
import { exponentialPrice } from "./complexity.ts";
import { mintPotentialReward } from "./potential-reward.ts";
import type { PlatformState } from "./state/platform-state.ts";
import { isPermissioned, isValidator, nextTime, promoted, type Staker } from "./state/staker.ts";

/** How many seconds a block may be ahead of the verifying node's clock. */
const SYNC_BOUND = 10n;

/** The next time at which a staker or an L1 validator is added or removed, but at most `bound` (chain-rules 6.1). */
export function nextChangeTime(state: PlatformState, bound: bigint): bigint {
  let time = bound;
  for (const staker of [state.currentStakers[0], state.pendingStakers[0]]) {
    if (staker !== undefined && nextTime(staker) < time) time = nextTime(staker);
  }
  const firstL1 = state.activeL1Validators[0];
  if (firstL1 === undefined) return time;
  const { timestamp, accruedFees, l1Excess } = state.scalars;
  const feeState = { activeCount: BigInt(state.activeL1Validators.length), excess: l1Excess };
  const funds = firstL1.endAccumulatedFee - accruedFees;
  const eviction = timestamp + l1SecondsRemaining(feeState, state.network.validatorFees, time - timestamp, funds);
  return smaller(time, eviction);
}

/** Refuses a new chain time that is before the current one, too far ahead of the clock, or after the next change of stakers. */
export function checkNewTime(state: PlatformState, proposed: bigint, clock: bigint): void {
  const { timestamp } = state;
  const time = goTime(proposed);
  if (time < timestamp) {
    throw new RuleError(
      "time-before-parent",
      `proposed timestamp before current chain time: proposed timestamp (${timeText(time)}), chain time (${timeText(timestamp)})`,
      { time, timestamp },
    );
  }
  if (time > clock + SYNC_BOUND) {
    throw new RuleError(
      "time-beyond-clock",
      `proposed timestamp is too far in the future relative to local time, proposed time (${timeText(time)}), local time (${timeText(clock)})`,
      { time, clock },
    );
  }
  const next = nextChangeTime(state, time);
  if (time > next) {
    throw new RuleError(
      "time-skips-change",
      `proposed timestamp later than next staker change time, proposed timestamp (${timeText(time)}), next staker change time (${timeText(next)})`,
      { time, next },
    );
  }
}

/** The time of a block built now: the clock's, or the next change that is due (chain-rules 6.1). */
export function nextBlockTime(state: PlatformState, clock: bigint): bigint {
  const time = clock > state.timestamp ? clock : state.timestamp;
  // plus one second, so that a change exactly at that time counts as due
  return smaller(time, nextChangeTime(state, time + 1n));
}

/** Advances chain time to `time`, which may be the current one. Returns whether stakers or L1 validators changed. */
export function advanceTime(state: PlatformState, time: bigint): boolean {
  const leaving = expiredPermissioned(state, time);
  const hasPromoted = promotePending(state, time);
  for (const staker of leaving) state.deleteStaker(staker);
  let hasDeactivated = false;
  if (isActive(state.network, "etna", time)) {
    for (const expiry of state.expiries.filter((expiry) => expiry.timestamp <= time)) state.deleteExpiry(expiry);
    hasDeactivated = advanceFees(state, time - state.timestamp);
  }
  if (time !== state.timestamp) state.setScalars({ timestamp: time });
  return hasPromoted || leaving.length > 0 || hasDeactivated;
}

/** Deactivates every L1 validator that cannot pay for the next full second; done at the end of a block (chain-rules 8.4). */
export function deactivateLowBalances(state: PlatformState): boolean {
  if (state.activeL1Validators.length === 0) return false;
  const { accruedFees, l1Excess } = state.scalars;
  const feeState = { activeCount: BigInt(state.activeL1Validators.length), excess: l1Excess };
  const needed = accruedFees + l1FeeCost(feeState, state.network.validatorFees, 1n);
  return deactivateWhile(state, (endAccumulatedFee) => endAccumulatedFee < needed);
}

/** Computes rewards in pending order with a running supply; validators enter before delegators. */
function promotePending(state: PlatformState, time: bigint): boolean {
  const promotions: { pending: Staker; current: Staker }[] = [];
  for (const pending of state.pendingStakers) {
    if (pending.startTime > time) break;
    promotions.push({ pending, current: promoted(pending, isPermissioned(pending) ? 0n : mintPotentialReward(state, pending)) });
  }
  for (const validators of [true, false]) {
    for (const { pending, current } of promotions) {
      if (isValidator(pending) !== validators) continue;
      state.promoteStaker(pending, current);
    }
  }
  return promotions.length > 0;
}

/** Permissioned subnet validators whose period is over: they leave without a reward and without a proposal. */
function expiredPermissioned(state: PlatformState, time: bigint): Staker[] {
  const leaving: Staker[] = [];
  for (const staker of state.currentStakers) {
    if (staker.endTime > time || !isPermissioned(staker)) break;
    leaving.push(staker);
  }
  return leaving;
}

/** Advances gas and L1 fees by `seconds`, all with the previous number of active L1 validators (chain-rules 6.2 steps 5–7). */
function advanceFees(state: PlatformState, seconds: bigint): boolean {
  const { maxGasCapacity, maxGasPerSecond, targetGasPerSecond } = state.network.dynamicFees;
  const { feeCapacity, feeExcess, accruedFees, l1Excess } = state.scalars;
  const parameters = state.network.validatorFees;
  const l1 = { activeCount: BigInt(state.activeL1Validators.length), excess: l1Excess };
  const accrued = accruedFees + l1FeeCost(l1, parameters, seconds);
  state.setScalars({
    feeCapacity: smaller(feeCapacity + maxGasPerSecond * seconds, maxGasCapacity),
    feeExcess: subtractToZero(feeExcess, targetGasPerSecond * seconds),
    accruedFees: accrued,
    l1Excess: advanceL1Excess(l1, parameters.target, seconds),
  });
  return deactivateWhile(state, (endAccumulatedFee) => endAccumulatedFee <= accrued);
}

/** The rest of a deactivated validator's balance is not refunded. */
function deactivateWhile(state: PlatformState, isDue: (endAccumulatedFee: bigint) => boolean): boolean {
  const { activeL1Validators } = state;
  let count = 0;
  while (count < activeL1Validators.length && isDue(activeL1Validators[count]!.endAccumulatedFee)) count++;
  for (const { validationId, ...row } of activeL1Validators.slice(0, count)) {
    state.putL1Validator(validationId, { ...row, endAccumulatedFee: 0n });
  }
  return count > 0;
}

// The continuous fee of L1 validators (chain-rules 8.1–8.3). Every active validator pays the same; the price changes each second with the
// number of active validators. Computing it takes one price per second passed, until the excess is zero, where it stays while the number is
// below the target.

export interface L1FeeState {
  /** number of active validators */
  readonly activeCount: bigint;
  readonly excess: bigint;
}

/** The excess after `seconds`. */
export function advanceL1Excess({ activeCount, excess }: L1FeeState, target: bigint, seconds: bigint): bigint {
  const moved = excess + (activeCount - target) * seconds;
  if (moved < 0n) return 0n;
  return smaller(moved, MAX_U64);
}

/** What one validator pays for `seconds`. */
export function l1FeeCost(state: L1FeeState, parameters: ValidatorFeeParameters, seconds: bigint): bigint {
  const { target, minPrice } = parameters;
  if (state.activeCount === target) return smaller(seconds * priceOf(state.excess, parameters), MAX_U64);
  let excess = state.excess;
  let cost = 0n;
  for (let second = 0n; second < seconds; second++) {
    excess = advanceL1Excess({ ...state, excess }, target, 1n);
    // from here on the excess stays zero
    if (excess === 0n) return smaller(cost + minPrice * (seconds - second), MAX_U64);
    cost += priceOf(excess, parameters);
    if (cost >= MAX_U64) return MAX_U64;
  }
  return cost;
}

/** How many whole seconds `funds` last for one validator, at most `maxSeconds`. */
export function l1SecondsRemaining(state: L1FeeState, parameters: ValidatorFeeParameters, maxSeconds: bigint, funds: bigint): bigint {
  const { target, minPrice } = parameters;
  if (minPrice === 0n) return maxSeconds;
  if (state.activeCount === target) return smaller(funds / priceOf(state.excess, parameters), maxSeconds);
  let excess = state.excess;
  let left = funds;
  for (let second = 0n; second < maxSeconds; second++) {
    excess = advanceL1Excess({ ...state, excess }, target, 1n);
    if (excess === 0n) return smaller(second + left / minPrice, maxSeconds);
    const price = priceOf(excess, parameters);
    if (price > left) return second;
    left -= price;
  }
  return maxSeconds;
}

function priceOf(excess: bigint, { minPrice, excessConversionConstant }: ValidatorFeeParameters): bigint {
  return exponentialPrice(minPrice, excess, excessConversionConstant);
}
