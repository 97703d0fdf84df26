import { expect, test } from "vitest";
import { DEFAULT_LIMITS, parseLimits } from "../../src/base/limits.ts";

test("limits are those that have a name, whatever objects have besides", () => {
  expect(parseLimits("bodyBytes=2KiB")).toEqual({ ...DEFAULT_LIMITS, bodyBytes: 2048 });
  for (const name of ["toString", "constructor", "hasOwnProperty", "__proto__", "bodybytes", ""]) {
    expect(() => parseLimits(`${name}=5`), name).toThrow(/^limits has the unknown name ".*"; /);
    expect(() => parseLimits(JSON.parse(`{"${name}": 5}`)), name).toThrow(/^limits has the unknown name ".*"; /);
  }
});

test.each([
  [{ bodyBytes: "lots" }, 'limits has bodyBytes "lots"; use a whole number from 1 on, or one with KiB, MiB or GiB, such as 2MiB'],
  ["bodyBytes=0", 'limits has bodyBytes "0"; use a whole number from 1 on, or one with KiB, MiB or GiB, such as 2MiB'],
  ["bodyByte=2KiB", 'limits has the unknown name "bodyByte"; did you mean bodyBytes?'],
  [
    { everything: 5 },
    'limits has the unknown name "everything"; use names and values such as bodyBytes=2MiB,connections=500; docs/limits.md lists all names',
  ],
  ["connections=5,connections=6", "limits has connections twice; use it once"],
])("limits that are wrong are refused in a sentence: %j", (value, message) => {
  expect(() => parseLimits(value)).toThrow(expect.objectContaining({ code: "config", message }));
});
