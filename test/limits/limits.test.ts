import { expect, test } from "vitest";
import { DEFAULT_LIMITS, parseLimits } from "../../src/limits/limits.ts";

test("limits are those that have a name, whatever objects have besides", () => {
  expect(parseLimits("bodyBytes=2KiB")).toEqual({ ...DEFAULT_LIMITS, bodyBytes: 2048 });
  for (const name of ["toString", "constructor", "hasOwnProperty", "__proto__", "bodybytes", ""]) {
    expect(parseLimits(`${name}=5`), name).toBeUndefined();
    expect(parseLimits(JSON.parse(`{"${name}": 5}`)), name).toBeUndefined();
  }
});
