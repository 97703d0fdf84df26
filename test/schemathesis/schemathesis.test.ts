import { expect, test } from "vitest";
import { findSchemathesis, runSchemathesis, VERSION } from "./run.ts";

const command = findSchemathesis();
const reason = command === undefined ? ` (skipped: schemathesis is not installed; npm run schemathesis -- --install gets ${VERSION})` : "";

/** The same requests every time: what is new is found by `npm run schemathesis`, which is random. */
const BOUNDED = ["--max-examples", "8", "--generation-deterministic"];

/** of EVM routes, and of webhooks, which the process that follows keeps */
const CHAINS = "^/v[12]/(chains|address|blocks|transactions|webhooks)";
/** nobody signs messages of a recording, which is 503 */
const SIGNING = "/aggregateSignatures$";

test.skipIf(command === undefined).each([
  { recording: "latest-1", paths: ["--exclude-path-regex", `${CHAINS}|${SIGNING}`] },
  // the only one with vertices
  { recording: "x-dag", paths: ["--include-path-regex", "vertices"] },
  { recording: "evm-1", paths: ["--include-path-regex", CHAINS, "--max-examples", "4"] },
] as const)(
  `schemathesis finds no 500 and no answer outside its schema with $recording${reason}`,
  { timeout: 900_000 },
  async ({ recording, paths }) => {
    const { isClean, output } = await runSchemathesis(command!, recording, [...BOUNDED, ...paths]);
    expect(isClean, output).toBe(true);
    // It has tested something
    expect(Number(/(\d+) generated/.exec(output)?.[1])).toBeGreaterThan(recording === "x-dag" ? 50 : 300);
  },
);
