import { expect, test } from "vitest";
import { Lags, percentile, quarters } from "./samples.ts";

test("a lag is the time from an upstream's height to the follower's", () => {
  const lags = new Lags();
  lags.note("P", 5n, 5n, 0);
  lags.note("P", 7n, 5n, 100);
  lags.note("P", 9n, 5n, 200);
  lags.note("X", 3n, 2n, 250);
  lags.note("P", 9n, 8n, 300);
  lags.note("P", 9n, 9n, 1200);
  expect(lags.values).toEqual([200, 1000]);
});

test("percentiles and quarters are of the sorted values", () => {
  expect([percentile([], 0.5), percentile([3, 1, 2], 0.5), percentile([3, 1, 2], 0.99)]).toEqual([0, 2, 3]);
  expect(quarters([1, 1, 5, 5, 5, 5, 9, 9])).toEqual([1, 9]);
});
