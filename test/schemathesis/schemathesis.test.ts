import { expect, test } from "vitest";
import { findSchemathesis, runSchemathesis, VERSION } from "./run.ts";

const command = findSchemathesis();
const reason = command === undefined ? ` (skipped: schemathesis is not installed; npm run schemathesis -- --install gets ${VERSION})` : "";

/** The same requests every time: what is new is found by `npm run schemathesis`, which is random. */
const BOUNDED = ["--max-examples", "15", "--generation-deterministic"];

test.skipIf(command === undefined).each(["latest-1", "x-dag"] as const)(
  `schemathesis finds no 500 and no answer outside its schema with %s imported${reason}`,
  { timeout: 300_000 },
  async (recording) => {
    const { isClean, output } = await runSchemathesis(command!, recording, BOUNDED);
    expect(isClean, output).toBe(true);
    // It has tested something
    expect(Number(/(\d+) generated/.exec(output)?.[1])).toBeGreaterThan(500);
  },
);
