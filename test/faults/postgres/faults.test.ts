import { describe, expect, test } from "vitest";
import { hasPostgres, skipReason } from "../../postgres/binaries.ts";
import { runFaults } from "./faults.ts";

describe.skipIf(!hasPostgres)(`two ingesters and a server on PostgreSQL${skipReason}`, () => {
  test("whatever fails, the other ingester goes on, no block is lost or doubled, and no answer mixes two states", async () => {
    const { takeOvers, blocks, answered, states } = await runFaults({
      faults: ["kill", "cut", "crash", "stop", "failover"],
      seed: 7,
      readers: 1,
      stoppedMs: 0,
    });
    expect(Object.keys(takeOvers)).toEqual(["kill", "cut", "crash", "stop", "failover"]);
    expect(Math.min(blocks, answered, states)).toBeGreaterThan(0);
  });
});
