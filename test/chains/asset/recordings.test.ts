import { describe, expect, test } from "vitest";
import { checkBlocks, checkRefusedTxs, checkVertices } from "../../conformance/asset/checks.ts";
import type { CheckResult } from "../../conformance/check.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { drawn } from "../../share.ts";

describe("asset chains against recordings of the reference node", () => {
  test("the DAG, its stop vertex and the linear blocks after it give the recorded state; refused vertices and blocks are refused", () => {
    const results = [...checkVertices(recordingFolder("x-dag"))];
    expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(40);
  });

  test.each([
    ["latest-1", 62],
    ["eras-1", 124],
  ] as const)("all refused transactions of %s are refused with the recorded text", async (name, count) => {
    const results: CheckResult[] = [];
    for await (const result of checkRefusedTxs(recordingFolder(name))) results.push(result);
    expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(results).toHaveLength(count);
  });

  const blocks = [
    ["latest-1", 230],
    ["eras-1", 190],
    ["scale-1", 4000],
  ] as const;
  test.each(drawn("X-chains alone", blocks, 1))("all blocks of %s execute alone on the replay level", (name, atLeast) => {
    const results = [...checkBlocks(recordingFolder(name))];
    expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThan(atLeast);
  });
});
