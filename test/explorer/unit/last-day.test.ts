import { expect, test } from "vitest";
import { lastDay } from "../../../explorer/src/screens/home/last-day.ts";

const HOUR = 3600;

test("the 24 hours up to the newest of any chain have the sum of all chains, oldest first", () => {
  const quiet = [{ timestamp: 100 * HOUR, value: 5 }];
  const busy = Array.from({ length: 24 }, (_, i) => ({ timestamp: (120 - i) * HOUR, value: i }));
  const sums = lastDay([quiet, busy]);
  expect(sums).toHaveLength(24);
  expect(sums.at(-1)).toBe(0);
  expect(sums.at(-2)).toBe(1);
  // hour 100 is twenty hours before the newest
  expect(sums[3]).toBe(20 + 5);
  expect(sums[0]).toBe(23);
});

test("what is older than a day is left out, and hours without transactions are none", () => {
  const old = [{ timestamp: 2 * HOUR, value: 7 }];
  const now = [{ timestamp: 26 * HOUR, value: 1 }];
  const sums = lastDay([old, now]);
  expect(sums.reduce((all, value) => all + value, 0)).toBe(1);
  expect(lastDay([[{ timestamp: 3 * HOUR, value: 7 }], now]).reduce((all, value) => all + value, 0)).toBe(8);
});
