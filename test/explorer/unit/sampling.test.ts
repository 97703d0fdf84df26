import fc from "fast-check";
import { expect, test } from "vitest";
import { fewAtATime, MOST_POINTS, pointsOf } from "../../../explorer/src/screens/address/sampling.ts";

const rising = (most: number) => fc.array(fc.nat(1000), { maxLength: most }).map((all) => all.sort((a, b) => a - b));

test("points rise, lie in the past, and are fewer than a chart may have", () => {
  fc.assert(
    fc.property(rising(30), fc.boolean(), fc.nat(2000), (changes, isAll, now) => {
      const { at } = pointsOf(changes, isAll, now);
      expect(at.length).toBeLessThan(MOST_POINTS);
      for (const [i, point] of at.entries()) {
        expect(point).toBeLessThan(now);
        if (i > 0) expect(point).toBeGreaterThan(at[i - 1]!);
      }
    }),
  );
});

test("few changes are all shown: there is a point before the first, and one after each", () => {
  expect(pointsOf([10, 10, 20], true, 100)).toEqual({ at: [10, 11, 21], isExact: true });
  expect(pointsOf([10, 10, 20], false, 100).isExact).toBe(false);
});

test("an address without a past has no points", () => {
  expect(pointsOf([], true, 100)).toEqual({ at: [], isExact: true });
});

test("at most four calls run at a time, answers keep their order, and a failure ends it", async () => {
  let running = 0;
  let most = 0;
  const call = async (item: number) => {
    most = Math.max(most, ++running);
    await new Promise((done) => setImmediate(done));
    running--;
    return item * 2;
  };
  const items = Array.from({ length: 20 }, (_, i) => i);
  expect(await fewAtATime(items, call)).toEqual(items.map((item) => item * 2));
  expect(most).toBe(4);
  const called: number[] = [];
  const failing = fewAtATime(items, async (item) => {
    called.push(item);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(called.length).toBeLessThanOrEqual(4);
});
