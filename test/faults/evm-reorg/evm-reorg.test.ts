import { expect, test } from "vitest";
import { sized } from "../../share.ts";
import { reorganiseLive } from "./evm-reorg.ts";

test("the index of a chain that is reorganised again and again is that of the chain which is left", async () => {
  const result = await reorganiseLive({ count: sized({ whole: 25, share: 8 }), seed: 20_261_121, log: () => {} });
  expect(result.comparisons).toBe(sized({ whole: 2, share: 1 }));
  expect(result.deepest).toBeGreaterThan(30);
  expect(result.rows).toBeGreaterThan(1000);
});
