import { beforeEach, expect, test, vi } from "vitest";
import { warmUpSoon } from "../../src/serve/warm-up.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

test("what a server would load is not loaded after its end", async () => {
  const load = vi.fn(async () => {});
  const end = warmUpSoon(load);
  await end();
  await vi.runAllTimersAsync();
  expect(load).not.toHaveBeenCalled();
});

test("the end waits for what is being loaded, and does not fail when that does", async () => {
  let fail = (_error: Error) => {};
  const end = warmUpSoon(() => new Promise((_resolve, reject) => (fail = reject)));
  await vi.runAllTimersAsync();
  const steps: string[] = [];
  const ended = end().then(() => steps.push("ended"));
  await vi.runAllTimersAsync();
  steps.push("loaded");
  fail(new Error("no such file"));
  await ended;
  expect(steps).toEqual(["loaded", "ended"]);
});
