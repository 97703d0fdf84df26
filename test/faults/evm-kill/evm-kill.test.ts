import { expect, test } from "vitest";
import { sized } from "../../share.ts";
import { killFollowers } from "./evm-kill.ts";

test("an index whose process is killed while it catches up, at the tip and while branches are replaced ends with the rows of one that was let alone", async () => {
  const each = sized({ whole: 2, share: 1 });
  const { kills, comparisons, amidst } = await killFollowers({ count: 3 * each, seed: 20_261_121, log: () => {} });
  expect(kills).toEqual({ "catching up": each, "at the tip": each, reorganising: each });
  expect(comparisons).toBe(1);
  expect(amidst).toBeGreaterThan(0);
});
