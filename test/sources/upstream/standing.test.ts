import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Pace } from "../../../src/sources/upstream/standing.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const now = () => vi.getMockedSystemTime()!.getTime();

/** Milliseconds until a message that is sent now is late. */
function lateAfter(pace: Pace): number {
  const before = now();
  let lateMs = Number.POSITIVE_INFINITY;
  const stop = pace.watch(() => (lateMs = now() - before));
  vi.advanceTimersByTime(10_000);
  stop();
  return lateMs;
}

test("an answer is late after twice the time of the slowest of late, within bounds; of an upstream that is always waited for, none is", () => {
  expect(lateAfter(new Pace(undefined))).toBe(Number.POSITIVE_INFINITY);
  const pace = new Pace(600);
  expect(lateAfter(pace)).toBe(600);
  pace.answered(500);
  expect(lateAfter(pace)).toBe(1_000);
  pace.answered(5_000);
  expect(lateAfter(pace)).toBe(2_000);
  for (let quick = 0; quick < 100; quick++) pace.answered(1);
  expect(lateAfter(pace)).toBe(600);
});

test("an answer is waited for three times as long as the slowest of late, and twice as long as one that did not come", () => {
  const pace = new Pace(600);
  expect(pace.patienceMs(1_500)).toBe(1_500);
  pace.gaveUp(1_500);
  expect(pace.patienceMs(1_500)).toBe(3_000);
  pace.answered(4_000);
  expect(pace.patienceMs(1_500)).toBe(12_000);
  for (let quick = 0; quick < 100; quick++) pace.answered(1);
  expect(pace.patienceMs(1_500)).toBe(1_500);
});

test("it is silent if nothing was answered while an answer became late, until something is", () => {
  const pace = new Pace(600);
  const told: string[] = [];
  const stop = pace.wait(() => told.push("waiting"));
  const message = pace.watch(() => told.push("late"));
  vi.advanceTimersByTime(400);
  pace.answered(10);
  vi.advanceTimersByTime(200);
  expect([pace.isSilent, told]).toEqual([false, ["late"]]);
  message();
  pace.watch(() => told.push("late"));
  vi.advanceTimersByTime(600);
  expect([pace.isSilent, told]).toEqual([true, ["late", "late", "waiting"]]);
  stop();
  pace.tellWaiting();
  expect(told.length).toBe(3);
  pace.answered(10);
  expect(pace.isSilent).toBe(false);
});

test("it is shaky after two failures in a row, whatever it answered in between, and no longer once they are long ago", () => {
  const pace = new Pace(600);
  pace.failed();
  expect(pace.isUnstable).toBe(false);
  pace.answered(1);
  pace.failed();
  expect(pace.isUnstable).toBe(true);
  for (let more = 0; more < 100; more++) pace.failed();
  vi.advanceTimersByTime(2_000);
  expect(pace.isUnstable).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(pace.isUnstable).toBe(false);
});
