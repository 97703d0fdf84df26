import { expect, test } from "vitest";
import { fuzzReplays } from "./replay-fuzz.ts";

test("requests that are answered without being parsed are answered as node:http's are, however they are split and framed", async () => {
  const { problems, replayed } = await fuzzReplays({ count: 3000, seed: 1, leastReplayed: 1000 });
  expect(problems).toEqual([]);
  expect(replayed).toBeGreaterThanOrEqual(1000);
});
