import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordingFolder } from "../conformance/recordings.ts";
import { fuzzServed } from "./http-served.ts";

/** For longer runs use `npm run fuzz:http -- <count> --seed <n>`. */
test("random requests and random bytes are answered or refused in time, and nothing of them is a defect", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "firn-fuzz-"));
  try {
    const { problems, defects, outcomes, statuses } = await fuzzServed({
      folder: recordingFolder("latest-1"),
      scratch,
      count: 2_000,
      messages: 3_000,
      seed: 20_261_121,
    });
    expect([...problems, ...defects]).toEqual([]);
    // The requests are no mere noise: methods run
    expect(statuses["200"]).toBeGreaterThan(60);
    expect(outcomes["200 result"]).toBeGreaterThan(200);
    expect(outcomes["200 error"]).toBeGreaterThan(200);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
