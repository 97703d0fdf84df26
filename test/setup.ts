import { relative } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, expect, vi } from "vitest";
import { keptAnswers } from "../src/base/kept-answers.ts";
import { DEFAULT_LIMITS } from "../src/base/limits.ts";
import { cleanUp } from "./after-every-test.ts";
import { noteCost } from "./costs.ts";
import { refuseChangedFetch } from "./own-process.ts";
import { SEED } from "./share.ts";

// properties are tried with the same values when a run is repeated
fc.configureGlobal({ seed: SEED });

// the servers of earlier files of the process may have kept less, or nothing
keptAnswers.resize(DEFAULT_LIMITS.keptBytes);

afterEach(cleanUp);
afterAll(async () => {
  // vitest would refuse what is still being imported to all later files of the process
  await vi.dynamicImportSettled();
  const file = relative(".", expect.getState().testPath!);
  noteCost(file);
  refuseChangedFetch(file);
});
