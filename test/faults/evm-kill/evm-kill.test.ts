import { expect, test } from "vitest";
import { killFollowers } from "./evm-kill.ts";

test("an index whose process is killed while it catches up, at the tip and while branches are replaced ends with the rows of one that was let alone", async () => {
  const { kills, comparisons, amidst } = await killFollowers({ count: 6, seed: 20_261_121, log: () => {} });
  expect(kills).toEqual({ "catching up": 2, "at the tip": 2, reorganising: 2 });
  expect(comparisons).toBe(1);
  expect(amidst).toBeGreaterThan(0);
});
