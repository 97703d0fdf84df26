/**
 * `npm run test:later`: some tests as they will run on later days, for what depends on the date: times that are written down, certificates,
 * networks whose start moves. It needs the program faketime, and says so where there is none. Ends with one line, `N passed, N failed`.
 */
import { spawnSync } from "node:child_process";
import { AT_LATER_DATES } from "../test/tiers.ts";
import { end, install, testsThrough } from "./checks.js";

/** On the first, a network's start has moved since; on the second, everything that is written down is over. */
const DAYS = [280, 20 * 365];

install();
if (spawnSync("faketime", ["--version"]).status !== 0) {
  console.log("The tests do not run on later days: there is no program faketime (Debian's package faketime)");
} else {
  // what was built has a date, too: it must not look old
  process.env.FAKETIME_DONT_FAKE_MONOTONIC = "1";
  process.env.NO_FAKE_STAT = "1";
  for (const days of DAYS) {
    console.log(`\n▸ ${days} days later`);
    testsThrough(["faketime", "-f", `+${days}d`], ...AT_LATER_DATES);
  }
}
end();
