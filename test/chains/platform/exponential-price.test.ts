import { expect, test } from "vitest";
import { exponentialPrice } from "../../../src/chains/platform/complexity.ts";

test.each([
  [1n, 0n, 1n, 1n],
  [1n, 1n, 1n, 2n],
  [1n, 2n, 1n, 6n],
  [1n, 10_000n, 10_000n, 2n],
  [10n, 10_000_000n, 1_000_000n, 220_264n],
  [2n ** 32n - 1n, 1n, 1n, 11_674_931_546n],
  [1n, 1_000_000n, 10_000n, 2n ** 64n - 1n],
  [1n, 1_500_002n, 2_164_043n, 1n],
  [1n, 1_500_003n, 2_164_043n, 2n],
  [1n, 10_000_000n, 2_164_043n, 101n],
  [1n, 50_000_000n, 2_164_043n, 10_822_588_713n],
])("the price with minimum %d, excess %d and conversion constant %d is %d", (minPrice, excess, conversionConstant, price) => {
  expect(exponentialPrice(minPrice, excess, conversionConstant)).toBe(price);
});
