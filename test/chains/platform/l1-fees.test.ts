import { describe, expect, test } from "vitest";
import { advanceL1Excess, l1FeeCost, l1SecondsRemaining } from "../../../src/chains/platform/time.ts";

const PARAMETERS = { capacity: 20_000n, target: 10_000n, minPrice: 2_048n, excessConversionConstant: 1_246_488_515n };
const MINUTE = 60n;
const DAY = 86_400n;
const WEEK = 7n * DAY;

/** chain-rules E11 */
const VECTORS = [
  { activeCount: 10n, excess: 0n, seconds: MINUTE, cost: 122_880n, after: 0n },
  { activeCount: 10_000n, excess: 0n, seconds: MINUTE, cost: 122_880n, after: 0n },
  { activeCount: 10_000n, excess: 864_000_000n, seconds: MINUTE, cost: 245_760n, after: 864_000_000n },
  { activeCount: 10_000n, excess: 1_246_488_515n, seconds: MINUTE, cost: 334_020n, after: 1_246_488_515n },
  { activeCount: 15_000n, excess: 0n, seconds: MINUTE, cost: 122_880n, after: 300_000n },
  { activeCount: 9_000n, excess: 21_600_000n, seconds: DAY, cost: 177_321_939n, after: 0n },
  { activeCount: 15_000n, excess: 0n, seconds: DAY, cost: 211_438_809n, after: 432_000_000n },
];

describe("the fee of L1 validators", () => {
  test.each(VECTORS)("costs $cost for $seconds s with $activeCount active and excess $excess", (vector) => {
    expect(l1FeeCost(vector, PARAMETERS, vector.seconds)).toBe(vector.cost);
    expect(advanceL1Excess(vector, PARAMETERS.target, vector.seconds)).toBe(vector.after);
  });

  test.each(VECTORS)("$cost lasts for $seconds s with $activeCount active and excess $excess", (vector) => {
    expect(l1SecondsRemaining(vector, PARAMETERS, WEEK, vector.cost)).toBe(vector.seconds);
  });

  test("a gap of years without excess takes no time", () => {
    const years = 10n * 365n * DAY;
    expect(l1FeeCost({ activeCount: 0n, excess: 0n }, PARAMETERS, years)).toBe(years * PARAMETERS.minPrice);
  });

  test("saturates", () => {
    expect(l1FeeCost({ activeCount: 10_000n, excess: 2n ** 64n - 1n }, PARAMETERS, 2n)).toBe(2n ** 64n - 1n);
    expect(l1FeeCost({ activeCount: 10_001n, excess: 2n ** 64n - 1n }, PARAMETERS, 2n)).toBe(2n ** 64n - 1n);
    expect(advanceL1Excess({ activeCount: 20_000n, excess: 2n ** 64n - 2n }, 10_000n, 1n)).toBe(2n ** 64n - 1n);
  });
});
