/** Some hostile answers; for more use `npm run fuzz:upstream -- 10000`. */
import { expect, test } from "vitest";
import { recordingFolder } from "../../conformance/recordings.ts";
import { fuzzUpstream } from "./fuzz-upstream.ts";

test("a chain that is followed from a hostile node has the index of an honest one when the node answers well again", async () => {
  const { failures, sent } = await fuzzUpstream({
    folder: recordingFolder("evm-1"),
    count: 100,
    seed: Number(process.env.FIRN_FUZZ_SEED ?? 1),
  });
  expect(failures).toEqual([]);
  expect(Object.keys(sent).length).toBeGreaterThan(15);
});
