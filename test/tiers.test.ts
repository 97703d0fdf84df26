import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { ALONE, AT_LATER_DATES, DRAWN, EVERY_NODE, LONG, LONGEST } from "./tiers.ts";
import { WHOLE } from "./whole.ts";

const folder = import.meta.dirname;
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => `test/${path}`);

test("every place that the tiers name has a test file", () => {
  const isThere = (place: string) => files.some((file) => file.startsWith(place) && file.endsWith(".test.ts"));
  expect(
    [...ALONE, ...LONG, ...LONGEST, ...DRAWN.flatMap(({ places }) => places), ...EVERY_NODE, ...AT_LATER_DATES].filter(
      (place) => !isThere(place),
    ),
  ).toEqual([]);
});

/** Modules of `test/` that a module imports, and those that these import. */
function importsOf(path: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const [, specifier] of readFileSync(join(folder, "..", path), "utf8").matchAll(/ from "(\.[^"]+\.ts)";/g)) {
    const imported = relative(join(folder, ".."), resolve(folder, "..", dirname(path), specifier!));
    // texts of modules that a test makes have imports, too
    if (!files.includes(imported) || seen.has(imported) || imported === "test/tiers.ts") continue;
    seen.add(imported);
    importsOf(imported, seen);
  }
  return seen;
}

test("what only test:whole covers is listed of every file that does a share of its tests in npm test, and of no other", () => {
  const sharing = files.filter((file) => file.endsWith(".test.ts") && importsOf(file).has("test/share.ts"));
  expect(Object.keys(WHOLE).sort()).toEqual(sharing.sort());
});
