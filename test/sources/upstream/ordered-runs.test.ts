import { expect, test } from "vitest";
import { orderedRuns, type RunShape } from "../../../src/sources/upstream/ordered-runs.ts";

const SHAPE: RunShape<bigint> = {
  ...{ bytesOf: () => 1, unitsOf: () => 1, runs: 3, runUnits: 1000, runItems: 4, firstRunItems: 4, runBytes: 1000 },
  ...{ assumedBytes: 1, heldBytes: 10_000, givenUnits: 1, givenBytes: 1 },
};

test("what has arrived and waits for earlier items is told, and nothing is left at the end", async () => {
  let release = () => {};
  const first = new Promise<void>((resolve) => {
    release = resolve;
  });
  const told: number[] = [];
  const fetch = async (from: bigint, count: number) => {
    if (from === 0n) await first;
    return Array.from({ length: count }, (_, i) => from + BigInt(i));
  };
  const onHeld = (items: number) => {
    told.push(items);
    // the second and the third run are there
    if (items === 8) release();
  };
  const given: bigint[] = [];
  const range = { fetch, from: 0n, to: 11n, signal: new AbortController().signal, shape: SHAPE, onHeld };
  for await (const items of orderedRuns(range)) given.push(...items);
  expect(given).toEqual(Array.from({ length: 12 }, (_, i) => BigInt(i)));
  expect(told.slice(0, 3)).toEqual([4, 8, 12]);
  expect(told.at(-1)).toBe(0);
});
