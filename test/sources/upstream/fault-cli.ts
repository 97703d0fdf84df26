/** `npm run faults:upstream -- [--seeds 1000] [--from 1] [--recording latest-1]`: follows a network through so many seeds of faults, five at once. */
import { parseArgs } from "node:util";
import type { RecordingName } from "../../conformance/recordings.ts";
import { FaultRuns, LONGEST_WAIT_MS } from "./fault-run.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    recording: { type: "string", default: "latest-1" },
  },
});
// the first blocks of latest-1 are enough, and quick
const until = values.recording === "latest-1" ? { P: 60n, X: 31n, C: 10n } : undefined;
const runs = new FaultRuns(values.recording as RecordingName, { until, hasForks: true });
const [first, count] = [Number(values.from), Number(values.seeds)];
/** They wait most of the time. */
const AT_ONCE = 5;
let next = first;
let wrong = 0;
let slow = 0;
let longest = 0;
let faults = 0;

async function runNext(): Promise<void> {
  while (next < first + count) {
    const { seed, upstreams, reading, faults: kinds, waitedMs, busyMs, difference } = await runs.run(next++);
    const met = [...kinds.values()].reduce((sum, messages) => sum + messages, 0);
    faults += met;
    longest = Math.max(longest, waitedMs);
    if (difference !== undefined) wrong++;
    if (waitedMs > LONGEST_WAIT_MS) slow++;
    console.log(
      `seed ${seed}: ${upstreams} upstreams by ${reading}, ${met} faults, waited ${waitedMs} ms (and was busy for ${busyMs} ms) after one was well: ${difference ?? "right"}`,
    );
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, runNext));
console.log(
  `${count} seeds, ${faults} faults: ${wrong} with wrong rows, ${slow} waited longer than ${LONGEST_WAIT_MS} ms after one upstream was well; the longest ${longest} ms`,
);
process.exitCode = wrong + slow === 0 ? 0 : 1;
