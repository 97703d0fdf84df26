import { relative } from "node:path";
import { afterAll, afterEach, expect } from "vitest";
import { cleanUp } from "./after-every-test.ts";
import { refuseChangedFetch } from "./own-process.ts";

afterEach(cleanUp);
afterAll(() => refuseChangedFetch(relative(".", expect.getState().testPath!)));
