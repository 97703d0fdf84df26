import pino from "pino";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { completeOptions } from "../../src/serve/serve-options.ts";

const given = {
  dataDirectory: "",
  httpHost: "127.0.0.1",
  httpPort: 0,
  allowedHosts: [],
  isPublic: true,
  healthCheckFrequencyMs: 1000,
  log: pino({ level: "silent" }),
};

test("the workers share what all of them may keep of answers, and each has enough for large ones", () => {
  const { keptBytes } = DEFAULT_LIMITS;
  for (const workers of [1, 2, 3]) {
    const { cacheBytes } = completeOptions({ ...given, workers });
    expect(workers * cacheBytes).toBeLessThanOrEqual(keptBytes);
    expect(workers * cacheBytes).toBeGreaterThan(keptBytes - workers);
  }
  expect(completeOptions({ ...given, workers: 16 }).cacheBytes).toBe(16 * 2 ** 20);
  expect(completeOptions({ ...given, workers: 16, cacheBytes: 7 }).cacheBytes).toBe(7);
});
