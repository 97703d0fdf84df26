import { expect, test } from "vitest";
import { checkpointsOf } from "../../src/network/checkpoints.ts";
import { FUJI_ID, LOCAL_ID, MAINNET_ID } from "../../src/network/presets.ts";

/** One every hundredth of a chain but the last, as the reference node's release has them. Their checksums are read with them. */
test.each([MAINNET_ID, FUJI_ID])("network %d has 99 checkpoints of each chain, each another one", (networkId) => {
  const all = ["P", "X", "C"].map((chain) => checkpointsOf(networkId, chain));
  expect(all.map(({ length }) => length)).toEqual([99, 99, 99]);
  expect(new Set(all.flat()).size).toBe(297);
});

test("a network of one's own has none", () => {
  expect(checkpointsOf(LOCAL_ID, "P")).toEqual([]);
});
