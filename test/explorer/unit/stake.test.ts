/** What the explorer says of stake, against plain sums; and how long L1 balances last, against the chain's own second-by-second fee. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { monthlyCost, paidUntil, secondsPaid } from "../../../explorer/src/screens/staking/l1-fee.ts";
import { decimalText, percentOfRatio } from "../../../explorer/src/screens/staking/ratio.ts";
import {
  byEnd,
  byWeight,
  fewestAbove,
  percentText,
  type Stake,
  shortPercent,
  spread,
  weightOf,
} from "../../../explorer/src/screens/staking/stake.ts";
import { exponentialPrice } from "../../../src/chains/platform/complexity.ts";
import { type L1FeeState, l1FeeCost, l1SecondsRemaining } from "../../../src/chains/platform/time.ts";
import type { ValidatorFeeParameters } from "../../../src/network/network.ts";

const stakes = (most = 60): fc.Arbitrary<Stake[]> =>
  fc.uniqueArray(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: most }).chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc.record({
          nodeId: fc.constant(`NodeID-${id}`),
          weight: fc.oneof(fc.bigInt({ min: 1n, max: 5n }), fc.bigInt({ min: 1n, max: 720_000_000_000_000_000n })),
          end: fc.integer({ min: 1_700_000_000, max: 1_790_000_000 }),
        }),
      ),
    ),
  );
const sum = (amounts: readonly bigint[]) => amounts.reduce((a, b) => a + b, 0n);

describe("Stake by end", () => {
  test("has every stake once, in the period of its end, and every period in between", () => {
    fc.assert(
      fc.property(stakes(), (all) => {
        const periods = byEnd(all);
        expect(sum(periods.map(({ weight }) => weight))).toBe(sum(all.map(({ weight }) => weight)));
        expect(periods.reduce((count, period) => count + period.count, 0)).toBe(all.length);
        for (const { name, weight, count } of periods) {
          const ending = all.filter(({ end }) => new Date(end * 1000).toISOString().startsWith(name));
          expect([name, count, weight]).toEqual([name, ending.length, sum(ending.map((each) => each.weight))]);
        }
        const names = periods.map(({ name }) => name);
        expect(names).toEqual([...new Set(names)].sort());
        // the day or month after each period is the next one
        for (const [i, name] of names.slice(0, -1).entries()) {
          const next = new Date(`${name}T00:00:00Z`.length > 18 ? `${name}T00:00:00Z` : `${name}-01T00:00:00Z`);
          if (name.length > 7) next.setUTCDate(next.getUTCDate() + 1);
          else next.setUTCMonth(next.getUTCMonth() + 1);
          expect(names[i + 1]).toBe(next.toISOString().slice(0, name.length));
        }
      }),
    );
  });

  test("is nothing without stake", () => expect(byEnd([])).toEqual([]));
});

describe("Distribution", () => {
  test("is sorted by weight, and its sums are those of all larger nodes", () => {
    fc.assert(
      fc.property(stakes(), (all) => {
        const holders = byWeight(all);
        expect(holders.map(({ nodeId }) => nodeId).sort()).toEqual(all.map(({ nodeId }) => nodeId).sort());
        for (const [i, { weight, cumulative }] of holders.entries()) {
          if (i > 0) expect(weight <= holders[i - 1]!.weight).toBe(true);
          expect(cumulative).toBe(sum(holders.slice(0, i + 1).map((holder) => holder.weight)));
        }
      }),
    );
  });

  test("says the fewest nodes above a share: no smaller set of any nodes has more than it", () => {
    fc.assert(
      fc.property(stakes(9), fc.constantFrom([1n, 3n] as const, [1n, 2n] as const, [2n, 3n] as const), (all, [part, whole]) => {
        const total = sum(all.map(({ weight }) => weight));
        const sizes = Array.from({ length: 2 ** all.length }, (_, set) => all.filter((__, i) => (set >> i) % 2 === 1))
          .filter((nodes) => sum(nodes.map(({ weight }) => weight)) * whole > total * part)
          .map((nodes) => nodes.length);
        expect(fewestAbove(byWeight(all), part, whole)).toBe(Math.min(...sizes));
      }),
    );
    expect(fewestAbove([], 1n, 3n)).toBeUndefined();
  });
});

test("own and delegated stake are added exactly", () => {
  expect(weightOf({ amountStaked: "9007199254740993", amountDelegated: "9007199254740993" })).toBe(18_014_398_509_481_986n);
  expect(weightOf({ amountStaked: "1" })).toBe(1n);
});

test.each([
  [1n, 3n, "33.33"],
  [2n, 3n, "66.66"],
  [1n, 100_000n, "0.00"],
  [1n, 1n, "100.00"],
  [0n, 0n, "0.00"],
])("%s of %s is %s percent", (part, whole, text) => expect(percentText(part, whole)).toBe(text));

test.each([
  ["2.5000000000000000", "2.5"],
  ["100.0000000000000000", "100"],
  ["100", "100"],
  ["0.0000", "0"],
])("%s is shown as %s percent", (text, shown) => expect(shortPercent(text)).toBe(shown));

test.each([
  ["0.54535301926", "54.53"],
  ["1", "100.00"],
  ["0.005", "0.50"],
])("a ratio of %s is %s percent", (ratio, text) => expect(percentOfRatio(ratio)).toBe(text));

test("decimal texts keep every digit", () => {
  expect(decimalText("238801058.087318877")).toBe("238,801,058.087318877");
  expect(decimalText("1000.500")).toBe("1,000.5");
  expect(decimalText("0")).toBe("0");
});

test("heights are spread from the first to the last, without repeating one", () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(1_000_000), fc.integer({ min: 2, max: 16 }), (first, length, most) => {
      const heights = spread(first, first + length, most);
      expect([heights[0], heights.at(-1)]).toEqual([first, first + length]);
      expect(heights.length).toBe(Math.min(most, length + 1));
      expect(heights).toEqual([...new Set(heights)].sort((a, b) => a - b));
    }),
  );
});

describe("How long an L1's balance lasts", () => {
  const parameters = (minPrice: bigint): ValidatorFeeParameters => ({
    capacity: 20n,
    target: 10n,
    minPrice,
    excessConversionConstant: 865_617n,
  });
  const someState = fc.record({ minPrice: fc.bigInt({ min: 1n, max: 2048n }), excess: fc.bigInt({ min: 0n, max: 3_000_000n }) });
  const someSeconds = fc.bigInt({ min: 0n, max: 3000n });
  const price = ({ minPrice, excess }: { minPrice: bigint; excess: bigint }) => exponentialPrice(minPrice, excess, 865_617n);

  test("is exact while the price stays: to the second that can no longer be paid", () => {
    fc.assert(
      fc.property(someState, someSeconds, fc.bigInt({ min: 0n, max: 2047n }), (state, seconds, rest) => {
        const now = price(state);
        const balance = now * seconds + (rest % now);
        const paid = secondsPaid(balance, now)!;
        const steady: L1FeeState = { activeCount: 10n, excess: state.excess };
        expect(paid).toBe(l1SecondsRemaining(steady, parameters(state.minPrice), 1_000_000n, balance));
        expect(l1FeeCost(steady, parameters(state.minPrice), paid) <= balance).toBe(true);
        expect(l1FeeCost(steady, parameters(state.minPrice), paid + 1n) > balance).toBe(true);
      }),
    );
  });

  test("is at least that with fewer validators than the target, at most that with more", () => {
    fc.assert(
      fc.property(someState, someSeconds, fc.bigInt({ min: 0n, max: 20n }), (state, seconds, activeCount) => {
        const balance = price(state) * seconds;
        const paid = secondsPaid(balance, price(state))!;
        const simulated = l1SecondsRemaining({ activeCount, excess: state.excess }, parameters(state.minPrice), 1_000_000n, balance);
        if (activeCount <= 10n) expect(simulated >= paid).toBe(true);
        if (activeCount >= 10n) expect(simulated <= paid).toBe(true);
      }),
    );
  });

  test("follows the documented example: 1 AVAX at 512 nAVAX a second lasts 1,953,125 s, and 30 days cost 1.327104 AVAX", () => {
    expect(secondsPaid(1_000_000_000n, 512n)).toBe(1_953_125n);
    expect(monthlyCost(512n)).toBe(1_327_104_000n);
    expect(paidUntil(1_000_000_000n, 512n, 1_700_000_000)).toBe(1_701_953_125);
  });

  test("is no time where there is none: without a price, or beyond all dates", () => {
    expect(secondsPaid(1n, 0n)).toBeUndefined();
    expect(paidUntil(1n, 0n, 0)).toBeUndefined();
    expect(paidUntil(2n ** 64n, 1n, 0)).toBeUndefined();
  });
});
