import { expect, test } from "vitest";
import { fuzzKnownHeads } from "./known-heads-fuzz.ts";

test("requests that are answered without being parsed are answered as node:http's are, however they are split and framed", async () => {
  const { problems, unparsed } = await fuzzKnownHeads({ count: 3000, seed: 1, leastUnparsed: 1000 });
  expect(problems).toEqual([]);
  expect(unparsed).toBeGreaterThanOrEqual(1000);
});
