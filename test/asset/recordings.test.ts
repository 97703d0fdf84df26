import { describe, expect, test } from "vitest";
import { checkBlocks, checkVertices } from "../conformance/asset/checks.ts";
import { recordingFolder } from "../conformance/recordings.ts";

describe("asset chains against recordings of the reference node", () => {
  test("the DAG, its stop vertex and the linear blocks after it give the recorded state; refused vertices and blocks are refused", () => {
    const results = [...checkVertices(recordingFolder("x-dag"))];
    expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(40);
  });

  test.each([
    ["latest-1", 290],
    ["eras-1", 300],
  ] as const)("all blocks of %s execute and all refused transactions are refused with the recorded text", (name, atLeast) => {
    const results = [...checkBlocks(recordingFolder(name))];
    expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(atLeast);
  });

  test("all blocks of scale-1 execute on the replay level", () => {
    const results = [...checkBlocks(recordingFolder("scale-1"), { level: "replay" })];
    expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThan(4000);
  });
});
