/** Sends every request and raw HTTP case of every recording over HTTP, to imports at level `full` that stop at each checkpoint. */
import { describe, expect, test } from "vitest";
import { runCheckpoints, type Totals } from "./checkpoints.ts";
import { type RecordingName, recordingFolder } from "./recordings.ts";
import { checkServed } from "./served.ts";

/** How many requests are compared, so that a recording that loses its files cannot pass. */
interface Expected {
  readonly requests: number;
  /** these methods only; `npm run conformance -- <folder>` compares the rest */
  readonly only?: readonly string[];
  readonly served: number | undefined;
}

const EXPECTED: Record<RecordingName, Expected> = {
  // first: its store is what `many-utxos.test.ts` needs
  "scale-1": { requests: 2905, served: 0 },
  "latest-1": { requests: 41_129, served: 355 },
  "eras-1": { requests: 54_176, served: 355 },
  "p-eras-old": { requests: 4843, served: 0 },
  "x-dag": { requests: 0, served: 70 },
  // what others lack is blocks that five validators signed: the import verifies them; of the requests those that show it
  "live-1": { requests: 1002, only: ["index", "platform.getValidatorsAt", "platform.getAllValidatorsAt"], served: undefined },
};

describe.each(Object.entries(EXPECTED) as [RecordingName, Expected][])("%s", (name, { requests, only, served }) => {
  test(`every recorded request ${only === undefined ? "" : `of ${only} `}is answered as the node answered it`, {
    timeout: 600_000,
  }, async () => {
    expect(await outcome((options) => runCheckpoints(recordingFolder(name), { ...options, ...(only && { only }) }))).toEqual({
      passed: requests,
      failed: 0,
      lines: [],
    });
  });

  test.runIf(served !== undefined)("every raw HTTP case and every request at the end is answered as the node did", async () => {
    expect(await outcome((options) => checkServed(recordingFolder(name), options))).toEqual({ passed: served, failed: 0, lines: [] });
  });
});

async function outcome(run: (options: { log: (line: string) => void }) => Promise<Totals>): Promise<Totals & { lines: string[] }> {
  const lines: string[] = [];
  const totals = await run({ log: (line) => lines.push(line) });
  return { ...totals, lines: lines.filter((line) => !/: \d+ passed, 0 failed$/.test(line)) };
}
