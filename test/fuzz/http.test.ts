import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordingFolder } from "../conformance/recordings.ts";
import { fuzzServed } from "./http-served.ts";

/** `npx tsx test/fuzz/http-cli.ts <count> <seed>` does more of it. */
test("random requests and random bytes are answered or refused in time, and nothing of them is a defect", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "firn-fuzz-"));
  try {
    const { problems, defects, outcomes } = await fuzzServed({
      folder: recordingFolder("latest-1"),
      scratch,
      count: 6_000,
      seed: 20_261_121,
    });
    expect([...problems, ...defects]).toEqual([]);
    // The requests are no mere noise: methods run
    expect(outcomes["200 result"]).toBeGreaterThan(600);
    expect(outcomes["200 error"]).toBeGreaterThan(600);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
