import { describe, expect, test } from "vitest";
import type { LogPosition } from "../../../src/store/postgres/commit-feed.ts";
import { LogHistory } from "../../../src/store/postgres/log-history.ts";

const writable = (bytes: number, askedAt: number, timeline = 1): LogPosition => ({
  isStandby: false,
  bytes: BigInt(bytes),
  timeline,
  ageMs: undefined,
  askedAt,
});
const standby = (bytes: number, askedAt: number, ageMs?: number): LogPosition => ({
  isStandby: true,
  bytes: BigInt(bytes),
  timeline: 0,
  ageMs,
  askedAt,
});

function historyOf(...positions: readonly LogPosition[]): LogHistory {
  const history = new LogHistory();
  for (const position of positions) history.add(position);
  return history;
}

describe("a standby's lag", () => {
  test("is nothing while it has everything, however long ago the last commit was", () => {
    const history = historyOf(writable(100, 0), writable(100, 1_000_000));
    expect(history.lagOf(standby(100, 1_000_000, 999_999), true, 1_000_000)).toBe(0);
    expect(history.lagOf(standby(100, 1_000_000), true, 1_000_000)).toBe(0);
  });

  test("is the age of the oldest part that it has not applied, counted from when that cannot have been written yet", () => {
    const history = historyOf(writable(100, 0), writable(200, 500), writable(300, 1000), writable(300, 1500));
    expect(history.lagOf(standby(100, 1500, 9), true, 1600)).toBe(1600);
    expect(history.lagOf(standby(199, 1500, 9), true, 1600)).toBe(1600);
    expect(history.lagOf(standby(200, 1500, 9), true, 1600)).toBe(1100);
    expect(history.lagOf(standby(300, 1500, 9), true, 1600)).toBe(0);
  });

  test("does not come from what was written after the standby was asked", () => {
    const history = historyOf(writable(100, 0), writable(200, 500));
    expect(history.lagOf(standby(100, 499), true, 510)).toBe(0);
    expect(history.lagOf(standby(100, 500), true, 510)).toBe(510);
  });

  test("is at most the age of the last commit that it applied, if it was behind from the start; infinite if it applied none", () => {
    const history = historyOf(writable(100, 0));
    expect(history.lagOf(standby(99, 10, 7000), true, 20)).toBe(7000);
    expect(history.lagOf(standby(99, 10), true, 20)).toBe(Number.POSITIVE_INFINITY);
  });

  test("grows while the primary does not answer, unless commits still come", () => {
    const history = historyOf(writable(100, 0), writable(100, 1000));
    expect(history.lagOf(standby(100, 5000, 900_000), false, 5000)).toBe(4000);
    expect(history.lagOf(standby(150, 5000, 30), false, 5000)).toBe(30);
    expect(historyOf().lagOf(standby(150, 5000, 30), false, 5000)).toBe(30);
    expect(historyOf().lagOf(standby(150, 5000), false, 5000)).toBe(Number.POSITIVE_INFINITY);
  });

  test("counts what was written while the primary did not answer from when it was seen last", () => {
    const history = historyOf(writable(100, 0), writable(100, 1000), writable(200, 9000));
    expect(history.lagOf(standby(100, 9000, 3), true, 9100)).toBe(8100);
  });

  test("is counted anew after a fail-over", () => {
    const history = historyOf(writable(100, 0), writable(500, 500), writable(300, 1000, 2));
    expect(history.lagOf(standby(300, 1000), true, 1100)).toBe(0);
    expect(history.lagOf(standby(200, 1000, 5), true, 1100)).toBe(5);
  });

  test("is taken from the standby's clock when it is behind all that is remembered", () => {
    const history = new LogHistory();
    for (let i = 0; i < 3000; i++) history.add(writable(i, i * 500));
    const now = 3000 * 500;
    expect(history.lagOf(standby(2500, now, 7), true, now)).toBe(500 * 500);
    expect(history.lagOf(standby(1000, now, 1_000_123), true, now)).toBe(1_000_123);
    expect(history.lagOf(standby(1000, now), true, now)).toBe(Number.POSITIVE_INFINITY);
  });
});
