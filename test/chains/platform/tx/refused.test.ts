import { describe, expect, test } from "vitest";
import type { CheckResult } from "../../../conformance/check.ts";
import { checkRefusedPlatformTxs } from "../../../conformance/platform/refused.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";

describe("refused transactions of the P-chain", () => {
  test.each([
    ["latest-1", 110],
    ["eras-1", 199],
  ] as const)("every transaction that the node of %s refused is refused with its text", async (name, count) => {
    const results: CheckResult[] = [];
    for await (const result of checkRefusedPlatformTxs(recordingFolder(name))) results.push(result);
    expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(results).toHaveLength(count);
  });
});
