/**
 * The continuous fee of L1 validators (chain-rules 8.1–8.3). Every active validator pays the same; the price changes each second with the
 * number of active validators. Computing it takes one price per second passed, until the excess is zero, where it stays while the number is
 * below the target.
 */

import { MAX_U64, smaller } from "../../base/bytes/amount.ts";
import type { ValidatorFeeParameters } from "../../network/network.ts";
import { exponentialPrice } from "./exponential-price.ts";

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
