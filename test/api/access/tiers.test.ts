import { describe, expect, test } from "vitest";
import { HOSTED_LIMITS, parseRateLimits } from "../../../src/api/access/tiers.ts";

describe("rate limits are written as", () => {
  test("off, or hosted for the hosted service's", () => {
    expect(parseRateLimits("off")).toEqual({});
    expect(parseRateLimits("hosted")).toBe(HOSTED_LIMITS);
    expect(HOSTED_LIMITS.unauthenticated).toEqual({ perMinute: 6_000, perDay: 1_200_000 });
    expect(HOSTED_LIMITS.pro).toEqual({ perMinute: 20_000, perDay: 25_000_000 });
  });

  test("numbers per minute and day of tiers, either of which may be left out", () => {
    expect(parseRateLimits("unauthenticated=600/10000, free=6000,pro=/99")).toEqual({
      unauthenticated: { perMinute: 600, perDay: 10_000 },
      free: { perMinute: 6000 },
      pro: { perDay: 99 },
    });
  });

  test("an object in a file", () => {
    const limits = { base: { perMinute: 1, perDay: 2 } };
    expect(parseRateLimits(limits)).toEqual(limits);
  });

  test("nothing else", () => {
    const wrong = [
      "",
      "on",
      "free",
      "free=",
      "free=/",
      "free=-1",
      "free=1.5",
      "free=1/2/3",
      "gold=1",
      "unlimited=1",
      "free=1,free=2",
      "__proto__=1",
    ];
    const wrongObjects = [
      null,
      1,
      true,
      [],
      [1],
      { free: 1 },
      { free: null },
      { free: {} },
      { free: { perMinute: -1 } },
      { free: { perHour: 1 } },
    ];
    for (const value of [...wrong, ...wrongObjects]) expect([value, parseRateLimits(value)]).toEqual([value, undefined]);
  });
});
