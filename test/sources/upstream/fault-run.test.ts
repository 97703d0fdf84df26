import { expect, test } from "vitest";
import { sized } from "../../share.ts";
import { FaultRuns } from "./fault-run.ts";

const runs = new FaultRuns("latest-1", { until: { P: 60n, X: 31n, C: 10n } });

/** They wait most of the time. */
const AT_ONCE = 5;

// 3 of 1,000 runs waited longer than 5 s once an upstream was well, on a busy machine: `npm run faults:upstream` counts them, as which run does
// is a matter of time
const SEEDS = sized({ whole: 25, share: 5 });

test(`after ${SEEDS} seeds of faults a follower has the right rows`, async () => {
  for (let first = 1; first <= SEEDS; first += AT_ONCE) {
    const found = await Promise.all(Array.from({ length: AT_ONCE }, (_, offset) => runs.run(first + offset)));
    expect(found.map(({ seed, difference }) => ({ seed, difference }))).toEqual(found.map(({ seed }) => ({ seed, difference: undefined })));
  }
});
