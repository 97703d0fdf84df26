import { describe, expect, test } from "vitest";
import { formatDuration, goTime, parseDuration, timeText } from "../../src/network/go-time.ts";

describe("times as the node compares and prints them", () => {
  test.each([
    [0n, "1970-01-01 00:00:00"],
    [1_622_505_600n, "2021-06-01 00:00:00"],
    [951_868_799n, "2000-02-29 23:59:59"],
    [253_402_300_800n, "10000-01-01 00:00:00"],
    [2n ** 63n - 1n, "292277026596-12-04 15:30:07"],
    [2n ** 64n - 1n, "1969-12-31 23:59:59"],
    [-62_135_596_800n, "0001-01-01 00:00:00"],
  ])("prints %s seconds as %s", (seconds, text) => {
    expect(timeText(seconds)).toBe(`${text} +0000 UTC`);
  });

  test("takes the latest of times for the past, because seconds since year 1 overflow", () => {
    expect(goTime(1_622_505_600n)).toBe(1_622_505_600n);
    expect(goTime(2n ** 64n - 1n)).toBe(-1n);
    expect(goTime(2n ** 63n - 1n)).toBeLessThan(goTime(0n));
    expect(goTime(2n ** 63n - 62_135_596_801n)).toBe(2n ** 63n - 62_135_596_801n);
  });
});

describe("durations as Go prints them", () => {
  test.each([
    [0n, "0s"],
    [1n, "1ns"],
    [1_100n, "1.1µs"],
    [2_200_000n, "2.2ms"],
    [3_300_000_000n, "3.3s"],
    [90_000_000_000n, "1m30s"],
    [4 * 60_000_000_000 + 5_001_000_000, "4m5.001s"],
    [3_600_000_000_000n, "1h0m0s"],
    [5n * 3_600_000_000_000n + 6n * 60_000_000_000n + 7_001_000_000n, "5h6m7.001s"],
    [999_999_999n, "999.999999ms"],
  ])("%s ns are %s", (nanoseconds, text) => {
    expect(formatDuration(BigInt(nanoseconds))).toBe(text);
    expect(parseDuration(text)).toBe(BigInt(nanoseconds));
  });
});
