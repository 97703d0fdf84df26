import { expect, test } from "vitest";
import { reorganiseLive } from "./evm-reorg.ts";

test("the index of a chain that is reorganised again and again is that of the chain which is left", async () => {
  const result = await reorganiseLive({ count: 25, seed: 20_261_121, log: () => {} });
  expect(result.comparisons).toBe(2);
  expect(result.deepest).toBeGreaterThan(30);
  expect(result.rows).toBeGreaterThan(1000);
});
