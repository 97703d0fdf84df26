/** Compares everything that was recorded at checkpoints of the recordings: at all in `test:whole`, else at the last and some others of each recording. */
import { describe, expect, test } from "vitest";
import { recordingFolder } from "../../../conformance/recordings.ts";
import { drawn } from "../../../share.ts";
import { agreementAtCheckpoints } from "./agreement.ts";
import { Tally } from "./tally.ts";

describe.each(drawn("recordings that the Data API agrees with", ["latest-1", "eras-1", "p-eras-old", "x-dag"] as const, 2))(
  "%s",
  (name) => {
    test("the Data API says what the node's answers imply", async () => {
      const all = new Tally();
      const recorded = new Set<string>();
      const choose = <T>(checkpoints: readonly T[]) => [...drawn(name, checkpoints.slice(0, -1), 1), ...checkpoints.slice(-1)];
      for await (const { label, tally, methods } of agreementAtCheckpoints(recordingFolder(name), { choose })) {
        expect(tally.differences, label).toEqual([]);
        for (const method of methods) recorded.add(method);
        all.add(tally);
      }
      expect(recorded.size).toBeGreaterThan(0);
      expect([...all.compared.keys()].sort(), "methods that were compared").toEqual([...recorded].sort());
    });
  },
);
