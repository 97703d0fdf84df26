import { setImmediate as nextPass } from "node:timers/promises";
import { expect, test } from "vitest";
import { Slices } from "../../../src/sources/upstream/answer-body.ts";

test("one pass of the event loop does one slice of work, however many there are that want to work", async () => {
  let now = 0;
  const slices = new Slices(() => now);
  let pass = 0;
  const perPass: number[] = [];
  const worker = async () => {
    for (let piece = 0; piece < 10; piece++) {
      const turn = slices.turn();
      if (turn !== undefined) await turn;
      now += 3;
      perPass[pass] = (perPass[pass] ?? 0) + 3;
    }
  };
  const all = Promise.all(Array.from({ length: 20 }, worker));
  let isDone = false;
  void all.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextPass();
    pass++;
  }
  expect(perPass.reduce((sum, ms) => sum + ms)).toBe(600);
  expect(Math.max(...perPass)).toBeLessThanOrEqual(9);
});

test("work that nobody else waits for goes on at once until its slice is over", () => {
  let now = 0;
  const slices = new Slices(() => now);
  expect(slices.turn()).toBeUndefined();
  now = 3;
  expect(slices.turn()).toBeUndefined();
  now = 4;
  expect(slices.turn()).toBeInstanceOf(Promise);
});
