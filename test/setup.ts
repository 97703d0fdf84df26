import { relative } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, expect, vi } from "vitest";
import { cleanUp } from "./after-every-test.ts";
import { noteCost } from "./costs.ts";
import { refuseChangedFetch } from "./own-process.ts";
import { SEED } from "./share.ts";

// properties are tried with the same values when a run is repeated
fc.configureGlobal({ seed: SEED });

afterEach(cleanUp);
afterAll(async () => {
  // vitest would refuse what is still being imported to all later files of the process
  await vi.dynamicImportSettled();
  const file = relative(".", expect.getState().testPath!);
  noteCost(file);
  refuseChangedFetch(file);
});
