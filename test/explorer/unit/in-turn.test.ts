import { expect, test } from "vitest";
import { inTurn } from "../../../explorer/src/screens/address/in-turn.ts";

test("two calls run at a time, in order, and one that fails gives its place to the next", async () => {
  let running = 0;
  let most = 0;
  const began: number[] = [];
  const call = (i: number) =>
    inTurn(async () => {
      began.push(i);
      most = Math.max(most, ++running);
      await new Promise((done) => setImmediate(done));
      running--;
      if (i % 3 === 0) throw new Error(`${i}`);
      return i;
    });
  const items = Array.from({ length: 12 }, (_, i) => i);
  const outcomes = await Promise.allSettled(items.map(call));
  expect(outcomes.map(({ status }) => status === "rejected")).toEqual(items.map((i) => i % 3 === 0));
  expect(began).toEqual(items);
  expect(most).toBe(2);
});
