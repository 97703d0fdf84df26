import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WorkLoop } from "../../../src/evm/tokens/token-service.ts";

const log = pino({ level: "silent" });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that does so many pieces, then none until there are more. */
function work(pieces: number) {
  const state = { left: pieces, steps: 0, isFailing: false };
  const step = async () => {
    state.steps++;
    if (state.isFailing) throw new Error("no node answers");
    if (state.left === 0) return false;
    state.left--;
    return true;
  };
  return { state, step };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test("Work is done in turn until none is due, and goes on when somebody wakes it or after a while", async () => {
  const [one, other] = [work(3), work(1)];
  const loop = new WorkLoop([one, other], log, 10_000);
  await settle();
  expect([one.state.steps, other.state.steps]).toEqual([4, 4]);
  one.state.left = 1;
  loop.wake();
  await settle();
  expect(one.state.steps).toBe(6);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(one.state.steps).toBe(6);
  await vi.advanceTimersByTimeAsync(1);
  expect(one.state.steps).toBe(7);
  await loop.stop();
});

test("A failing upstream is asked more and more seldom, however often somebody wakes the loop", async () => {
  const failing = work(0);
  failing.state.isFailing = true;
  const loop = new WorkLoop([failing], log, 10_000);
  const steps: number[] = [];
  for (const ms of [0, 999, 1, 1999, 1, 4000]) {
    loop.wake();
    await vi.advanceTimersByTimeAsync(ms);
    steps.push(failing.state.steps);
  }
  expect(steps).toEqual([1, 1, 2, 2, 3, 4]);
  failing.state.isFailing = false;
  await vi.advanceTimersByTimeAsync(8_000);
  failing.state.isFailing = true;
  loop.wake();
  await settle();
  expect(failing.state.steps).toBe(6);
  // it was heard of between: the pause is the first one again
  await vi.advanceTimersByTimeAsync(1_000);
  expect(failing.state.steps).toBe(7);
  await loop.stop();
});

test("Stopping ends a pause at once, waits for the piece under way, and tells it", async () => {
  let finish: () => void = () => {};
  let told: AbortSignal | undefined;
  const slow = {
    step(signal: AbortSignal) {
      told = signal;
      return new Promise<boolean>((resolve) => {
        finish = () => resolve(true);
      });
    },
  };
  const loop = new WorkLoop([slow], log);
  await settle();
  let isStopped = false;
  const stopped = loop.stop().then(() => {
    isStopped = true;
  });
  await settle();
  expect([told?.aborted, isStopped]).toEqual([true, false]);
  finish();
  await stopped;

  const idle = new WorkLoop([work(0)], log);
  await settle();
  await idle.stop();
});
