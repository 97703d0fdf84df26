import fc from "fast-check";
import { expect, test } from "vitest";
import { money, worth } from "../../../../src/api/data/evm/money.ts";

const usd = (value: number) => ({ currencyCode: "usd" as const, value });

test("an asset without a price has no price and no value", () => {
  expect(money(undefined, "usd")).toBeUndefined();
  expect(worth(5n, 18, undefined)).toBeUndefined();
});

test.each([
  [2_901_600_000_000_000_000n, 18, 23.41, 67.926456],
  [15_000_000n, 6, 1, 15],
  // a sum of doubles would be 0.30000000000000004
  [3n, 0, 0.1, 0.3],
  [1n, 18, 1e-7, 1e-25],
  [10n ** 30n, 0, 2.5e3, 2.5e33],
  [0n, 18, 9.5, 0],
  // more decimals than 10 has powers as a double
  [10n ** 60n, 255, 1, 1e-195],
])("%d base units of %d decimals at %d are worth %d", (balance, decimals, price, value) => {
  expect(worth(balance, decimals, usd(price))).toEqual(usd(value));
});

test("A value is the double that is nearest to balance times the price as it is written", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.integer({ min: 0, max: 255 }),
      fc.double({ min: 1e-12, max: 1e9, noNaN: true }),
      (balance, decimals, price) => {
        const { value } = worth(balance, decimals, usd(price))!;
        const exact = rational(price);
        const [dividend, divisor] = [balance * exact[0], exact[1] * 10n ** BigInt(decimals)];
        for (const other of [nextAfter(value, 1), nextAfter(value, -1)]) {
          expect(distance(value, dividend, divisor) <= distance(other, dividend, divisor)).toBe(true);
        }
      },
    ),
  );
});

test("A value beyond all doubles is left out", () => {
  expect(worth(2n ** 256n - 1n, 0, usd(1e300))).toBeUndefined();
});

/** A quotient of whole numbers. */
function rational(value: number): [bigint, bigint] {
  const [mantissa, exponent = "0"] = value.toExponential().split("e");
  const [whole, fraction = ""] = mantissa!.split(".");
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(`${whole}${fraction}`);
  return power >= 0 ? [digits * 10n ** BigInt(power), 1n] : [digits, 10n ** BigInt(-power)];
}

/** The exact value of a double, as a quotient of whole numbers. */
function exactly(value: number): [bigint, bigint] {
  let [divisor, scaled] = [1n, value];
  while (!Number.isInteger(scaled)) [divisor, scaled] = [divisor * 2n, scaled * 2];
  return [BigInt(scaled), divisor];
}

/** |value − dividend/divisor|, times a number that is the same for all values compared */
function distance(value: number, dividend: bigint, divisor: bigint): bigint {
  const [above, below] = exactly(value);
  const difference = above * divisor - dividend * below;
  // doubles have divisors up to 2^1074
  return (difference < 0n ? -difference : difference) * (2n ** 1100n / below);
}

function nextAfter(value: number, direction: 1 | -1): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  if (value === 0) return direction * Number.MIN_VALUE;
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(direction));
  return view.getFloat64(0);
}
