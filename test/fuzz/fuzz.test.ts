import { describe, expect, test } from "vitest";
import { recordingFolder } from "../conformance/recordings.ts";
import { fuzzRecording } from "./fuzz.ts";

/**
 * This seed is kept because its times beyond every date once crashed a refusal's text. For more inputs: `npx tsx test/fuzz/cli.ts 1000000`.
 */
const SEED = 1;

describe("mutants of recorded blocks, vertices and transactions", () => {
  test.each([
    ["latest-1", 2],
    ["eras-1", 2],
    ["p-eras-old", 1],
    ["x-dag", 40],
  ] as const)("of %s are accepted or refused in our words, and leave nothing behind", async (name, perTarget) => {
    const { inputs, accepted, failures } = await fuzzRecording(recordingFolder(name), { seed: SEED, perTarget });
    expect(failures).toEqual([]);
    expect(inputs).toBeGreaterThan(1000);
    expect(accepted).toBeLessThan(inputs / 10);
  });
});
