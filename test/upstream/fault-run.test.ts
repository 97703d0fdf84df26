import { expect, test } from "vitest";
import { FaultRuns, LONGEST_WAIT_MS } from "./fault-run.ts";

const runs = new FaultRuns("latest-1", { until: { P: 60n, X: 31n, C: 10n } });

/** They wait most of the time. */
const AT_ONCE = 5;

test("after 25 seeds of faults a follower has the right rows, and never waited long for anything but blocks once one of its upstreams was well", async () => {
  for (let first = 1; first <= 25; first += AT_ONCE) {
    const found = await Promise.all(Array.from({ length: AT_ONCE }, (_, offset) => runs.run(first + offset)));
    const told = found.map(({ seed, difference, waitedMs }) => ({ seed, difference, tooLong: waitedMs > LONGEST_WAIT_MS ? waitedMs : 0 }));
    expect(told).toEqual(found.map(({ seed }) => ({ seed, difference: undefined, tooLong: 0 })));
  }
});
