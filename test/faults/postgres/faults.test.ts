import { describe, expect, test } from "vitest";
import { hasPostgres, skipReason } from "../../postgres/binaries.ts";
import { runFaults } from "./faults.ts";

describe.skipIf(!hasPostgres)(`two ingesters and a reader on PostgreSQL${skipReason}`, () => {
  test("whatever fails, the other ingester goes on, no block is lost or doubled, and no read mixes two states", async () => {
    const { takeOvers, blocks, reads } = await runFaults({ faults: ["kill", "cut", "crash", "stop"], seed: 7, readers: 1, stoppedMs: 0 });
    expect(Object.keys(takeOvers)).toEqual(["kill", "cut", "crash", "stop"]);
    expect(Math.min(blocks, reads)).toBeGreaterThan(0);
  });
});
