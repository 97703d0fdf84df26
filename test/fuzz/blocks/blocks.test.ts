/** Some hostile blocks; for more use `npm run fuzz:blocks -- 1000`. */
import { expect, test } from "vitest";
import { fuzzBlocks } from "./fuzz-blocks.ts";

test("a chain of hostile blocks is shown as loops over its node's answers find it", async () => {
  const { failures, asked, happened } = await fuzzBlocks({
    blocks: 8,
    seed: Number(process.env.FIRN_FUZZ_SEED ?? 1),
    cases: 150,
    log: () => {},
  });
  expect(failures).toEqual([]);
  expect(asked).toBeGreaterThan(80);
  expect(happened.deployments).toBeGreaterThan(5);
  expect(happened.logs).toBeGreaterThan(5);
  expect(happened["transactions of type 4"]).toBeGreaterThan(0);
});
