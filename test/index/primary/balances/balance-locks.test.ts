import fc from "fast-check";
import { expect, test } from "vitest";
import { spansAfter, spansOf } from "../../../../src/index/primary/balances/balance-locks.ts";

const MAX_U64 = 2n ** 64n - 1n;
const anyTime = fc.oneof(
  fc.bigInt({ min: 0n, max: MAX_U64 }),
  fc.bigInt({ min: 0n, max: 2n ** 32n }),
  fc.tuple(fc.bigInt({ min: 0n, max: 63n }), fc.bigInt({ min: -2n, max: 2n })).map(([bit, off]) => {
    const time = 2n ** bit + off;
    return time < 0n ? 0n : time;
  }),
);

test("a lock is in one of the spans after a time if it ends later, else in none", () => {
  fc.assert(
    fc.property(anyTime, anyTime, (end, time) => {
      const spans = spansOf(end);
      const found = spansAfter(time).filter(({ scale, first, end: until }) =>
        spans.some((span) => span.scale === scale && first <= span.span && span.span < until),
      );
      expect(found.length).toBe(end > time ? 1 : 0);
    }),
    { numRuns: 5000 },
  );
});

test("what is locked after a time is in few spans", () => {
  for (const time of [0n, 1n, 1_700_000_000n, 2n ** 53n]) {
    const spans = spansAfter(time).reduce((sum, { first, end }) => sum + end - first, 0n);
    expect(spans).toBeLessThanOrEqual(63n * 11n);
  }
});
