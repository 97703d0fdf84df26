import fc from "fast-check";
import { expect, test } from "vitest";
import {
  endsAt,
  firstTime,
  isFull,
  NO_POINTS,
  POINTS,
  type Point,
  pointAt,
  withPoint,
} from "../../../../src/index/primary/balances/balance-points.ts";

const anyPoint = fc.record({
  step: fc.bigInt(0n, 3n),
  amount: fc.bigInt(-(2n ** 127n), 2n ** 127n - 1n),
  count: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
});

test("the value at any time is that of the newest second at or before it, as it was left", () => {
  fc.assert(
    fc.property(fc.array(anyPoint, { maxLength: 2 * POINTS, size: "max" }), (steps) => {
      const seconds = new Map<bigint, Point>();
      let packed = NO_POINTS;
      let time = 5n;
      for (const { step, ...value } of steps) {
        time += step;
        if (isFull(packed) && !endsAt(packed, time)) break;
        packed = withPoint(packed, { time, ...value });
        seconds.set(time, { time, ...value });
      }
      const points = [...seconds.values()];
      for (let at = 0n; at <= time + 1n; at++) expect(pointAt(packed, at)).toEqual(points.findLast((point) => point.time <= at));
      expect(isFull(packed)).toBe(points.length === POINTS);
      if (points.length > 0) expect(firstTime(packed)).toBe(points[0]!.time);
    }),
  );
});
