/** Runs at every checkpoint of the recordings and compares everything that was recorded there. */
import { describe, expect, test } from "vitest";
import { recordingFolder } from "../../conformance/recordings.ts";
import { agreementAtCheckpoints } from "./agreement.ts";
import { Tally } from "./tally.ts";

describe.each(["latest-1", "eras-1", "p-eras-old", "x-dag"] as const)("%s", (name) => {
  test("the Data API says what the node's answers imply", { timeout: 600_000 }, async () => {
    const all = new Tally();
    const recorded = new Set<string>();
    for await (const { label, tally, methods } of agreementAtCheckpoints(recordingFolder(name))) {
      expect(tally.differences, label).toEqual([]);
      for (const method of methods) recorded.add(method);
      all.add(tally);
    }
    expect(recorded.size).toBeGreaterThan(0);
    expect([...all.compared.keys()].sort(), "methods that were compared").toEqual([...recorded].sort());
  });
});
