import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { SEED } from "./test/share.ts";
import { alone, long, unit } from "./test/tiers.ts";

console.log(`FIRN_TEST_SEED=${SEED} repeats what this run draws`);

export default defineConfig({
  test: {
    // against hanging only: nothing is timed here, and machines that run this may be busy
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 600_000 } },
    pool: "forks",
    // what one run has compiled is there for the next, and for the other projects
    experimental: { fsModuleCache: true },
    // one more than processors: many tests wait for the processes that they start
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    setupFiles: ["test/setup.ts"],
    globalSetup: ["test/prepared-stores.ts", "test/postgres/shared-server.ts"],
    projects: [
      { extends: true, test: { name: "alone", ...alone, isolate: true } },
      // what one file has loaded and compiled is there for the next
      { extends: true, test: { name: "long", ...long, isolate: false } },
      { extends: true, test: { name: "unit", ...unit, isolate: false } },
    ],
  },
});
