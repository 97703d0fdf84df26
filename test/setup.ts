import { relative } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, expect } from "vitest";
import { cleanUp } from "./after-every-test.ts";
import { refuseChangedFetch } from "./own-process.ts";

// where it is set, properties are tried with the same values each time; else with new ones
const seed = process.env.FIRN_TEST_SEED;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

afterEach(cleanUp);
afterAll(() => refuseChangedFetch(relative(".", expect.getState().testPath!)));
