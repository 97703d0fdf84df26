import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IndexHolders } from "../../../src/sources/nodes/reader-choice.ts";

const { signal } = new AbortController();
const never = () => new Promise<boolean>(() => {});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What each upstream says when it is asked. */
function holders(...answers: (() => Promise<boolean>)[]): IndexHolders {
  return new IndexHolders({ upstreams: answers.length, isComplete: (upstream) => answers[upstream]!() });
}

test("one that has the index is found though another never answers", async () => {
  const found = holders(
    never,
    async () => false,
    async () => true,
  );
  expect(await found.find(signal)).toBe(true);
  expect([0, 1, 2].map((upstream) => found.has(upstream))).toEqual([undefined, false, true]);
});

test("none has it only if one says so", async () => {
  const fails = () => Promise.reject(new Error("no answer"));
  expect(await holders(fails, async () => false).find(signal)).toBe(false);
  expect(await holders(fails, fails).find(signal)).toBeUndefined();
});

test("one that does not answer keeps what it said before", async () => {
  let isDown = false;
  const found = holders(() => (isDown ? Promise.reject(new Error("no answer")) : Promise.resolve(true)));
  await found.find(signal);
  isDown = true;
  expect(await found.find(signal)).toBe(true);
});

test("one that seems to have none is asked again after 1, 2, 4 s; one that has it is not", async () => {
  let asked = 0;
  const found = holders(async () => ++asked === 4);
  const askedAfter = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await found.look(0, signal);
    return asked;
  };
  expect(await askedAfter(0)).toBe(1);
  expect(await askedAfter(999)).toBe(1);
  expect(await askedAfter(1)).toBe(2);
  expect(await askedAfter(1_999)).toBe(2);
  expect(await askedAfter(1)).toBe(3);
  expect(await askedAfter(4_000)).toBe(4);
  expect(found.has(0)).toBe(true);
  expect(await askedAfter(100_000)).toBe(4);
});
