/** Sends requests and raw HTTP cases of every recording over HTTP, to imports at level `full` that stop at each checkpoint. */
import { describe, expect, test } from "vitest";
import { isWhole } from "../share.ts";
import { runCheckpoints, type Totals } from "./checkpoints.ts";
import { type RecordingName, recordingFolder } from "./recordings.ts";
import { requestShare } from "./request-share.ts";
import { checkServed } from "./served.ts";

/** How many there are, so that a recording that loses its files cannot pass. */
const RECORDED: Record<RecordingName, { readonly requests: number; readonly served: number }> = {
  // first: its store is what `many-utxos.test.ts` needs
  "scale-1": { requests: 2905, served: 0 },
  "latest-1": { requests: 41_129, served: 355 },
  "eras-1": { requests: 54_176, served: 355 },
  "p-eras-old": { requests: 4843, served: 0 },
  "x-dag": { requests: 0, served: 70 },
  "live-1": { requests: 3980, served: 355 },
};

/** To import `scale-1` takes as long as all others. */
const recordings = Object.entries(RECORDED).filter(([name]) => isWhole || name !== "scale-1") as [
  RecordingName,
  (typeof RECORDED)[RecordingName],
][];

describe.each(recordings)("%s", (name, { requests, served }) => {
  test.runIf(requests > 0)("requests are answered as the node answered them, at every checkpoint", async () => {
    const { pick, counts } = requestShare(name);
    const { passed, ...rest } = await outcome((options) => runCheckpoints(recordingFolder(name), { ...options, pick }));
    expect(rest).toEqual({ failed: 0, lines: [] });
    expect(counts).toEqual({ recorded: requests, asked: passed });
  });

  test.runIf(served > 0)("every raw HTTP case and every request at the end is answered as the node did", async () => {
    expect(await outcome((options) => checkServed(recordingFolder(name), options))).toEqual({ passed: served, failed: 0, lines: [] });
  });
});

async function outcome(run: (options: { log: (line: string) => void }) => Promise<Totals>): Promise<Totals & { lines: string[] }> {
  const lines: string[] = [];
  const totals = await run({ log: (line) => lines.push(line) });
  return { ...totals, lines: lines.filter((line) => !/: \d+ passed, 0 failed$/.test(line)) };
}
