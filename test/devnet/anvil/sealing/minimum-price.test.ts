/** The reference node's own cases (`dynamic/price_test.go`), and its rules of `gastime` over random numbers. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exponentialPrice } from "../../../../src/chains/platform/complexity.ts";
import { excessFor, exponentFor, nextExponent, priceOf } from "../../../../src/devnet/anvil/sealing/minimum-price.ts";

const MOST = 2n ** 64n - 1n;
const STEP = 80_063_993_375_475n;
const EXCESS_CONVERSION = 87_000_000n;

describe("the exponent of a minimum price", () => {
  test.each([
    [0n, 1n],
    [288_230_376_151_711_749n, 2n],
    [576_460_752_303_423_490n, 4n],
    [864_691_128_455_135_233n, 8n],
    [1_914_961_168_676_647_261n, 100n],
    [5_744_883_506_029_941_780n, 1_000_000n],
    [11_529_215_046_068_469_736n, 1n << 40n],
    [MOST - 37n, MOST],
  ])("%d stands for %d, and is the least one that does", (exponent, price) => {
    expect([priceOf(exponent), exponentFor(price)]).toEqual([price, exponent]);
  });

  test("stands for the largest price from its greatest on, and for the least below 2 wei", () => {
    expect([priceOf(1n), priceOf(MOST)]).toEqual([1n, MOST]);
  });

  test.each([
    [1n << 40n, undefined, 1n << 40n],
    [0n, 0n, 0n],
    [1000n, 2000n, 2000n],
    [2000n, 1000n, 1000n],
    [0n, STEP, STEP],
    [STEP, 0n, 0n],
    [0n, STEP + 1n, STEP],
    [2n * STEP, 0n, STEP],
  ])("goes from %d towards %s by at most a step: %d", (exponent, wanted, next) => {
    expect(nextExponent(exponent, wanted)).toBe(next);
  });
});

describe("the excess at a price", () => {
  test("is what a node counted at the price of its genesis, 225 gwei", () => {
    // `settledExcess` of block 1 of the recording evm-helicon-1
    expect(excessFor(225_000_000_000n)).toBe(2_274_124_862n);
    expect(excessFor(1n)).toBe(0n);
  });

  test("gives it, or is the largest that gives less", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 13n }), (price) => {
        const excess = excessFor(price);
        const given = exponentialPrice(1n, excess, EXCESS_CONVERSION);
        if (given === price) expect(excess === 0n || exponentialPrice(1n, excess - 1n, EXCESS_CONVERSION) < price).toBe(true);
        else expect([given < price, exponentialPrice(1n, excess + 1n, EXCESS_CONVERSION) > price]).toEqual([true, true]);
      }),
      { numRuns: 10 },
    );
  });
});
