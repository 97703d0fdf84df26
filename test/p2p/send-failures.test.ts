import { expect, test } from "vitest";
import { SendFailures } from "../../src/p2p/send-failures.ts";

test("what is dropped counts half after ten seconds", () => {
  const failures = new SendFailures(0);
  expect(failures.rate).toBe(0);
  failures.count(true, 0);
  // beside what was assumed first
  expect(failures.rate).toBe(0.5);
  failures.count(false, 10_000);
  expect(failures.rate).toBeCloseTo(0.5 / (0.5 * 2 + 1));
  for (let at = 10_000; at < 100_000; at += 100) failures.count(true, at);
  expect(failures.rate).toBeGreaterThan(0.99);
});
