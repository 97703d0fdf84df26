/** An upstream's rests are real time, whatever the machine's clock is set to meanwhile. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AnswerMemory } from "../../../src/sources/upstream/answer-memory.ts";
import { Upstream } from "../../../src/sources/upstream/upstream.ts";

const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const open = () =>
  new Upstream("http://127.0.0.1:1", "http://127.0.0.1:1", {
    maxConcurrency: 1,
    maxBatch: 1,
    bounds: {} as never,
    lateMs: undefined,
    memory: new AnswerMemory(1),
  });

test("a clock that is set back does not lengthen the rest of an upstream that failed", () => {
  const upstream = open();
  upstream.standing.fail(new Error("it does not answer"));
  vi.setSystemTime(vi.getMockedSystemTime()!.getTime() - HOUR_MS);
  expect(upstream.standing.restMs).toBeLessThanOrEqual(250);
});

test("a clock that is set forward does not end the refusal of an upstream", () => {
  const upstream = open();
  upstream.refuse("its block 7 is not the child of block 6", { firstMs: HOUR_MS, longestMs: HOUR_MS });
  vi.setSystemTime(vi.getMockedSystemTime()!.getTime() + HOUR_MS);
  expect(upstream.standing.isRefused).toBe(true);
});
