import { expect, test } from "vitest";
import { mutantsOf } from "./mutants.ts";

const changed = (source: string) =>
  mutantsOf("src/a.ts", source).map(({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end));

test("a place of a program is changed, a type is not", () => {
  expect(changed("const a: 1 | 2 = b < 3n ? c : d;")).toEqual([
    "const a: 1 | 2 = true ? c : d;",
    "const a: 1 | 2 = false ? c : d;",
    "const a: 1 | 2 = b <= 3n ? c : d;",
    "const a: 1 | 2 = b < (3n + 1n) ? c : d;",
  ]);
  expect(changed("for (;;) if (!a) continue;")).toEqual([
    "for (;;) if (true) continue;",
    "for (;;) if (false) continue;",
    "for (;;) if (a) continue;",
    "for (;;) if (!a) ;",
  ]);
  expect(changed("list.filter(isSo).slice(1);")).toEqual([
    ";",
    "list.filter(isSo);",
    "list.slice(1);",
    "list.filter(isSo).slice((1 + 1));",
  ]);
  expect(changed("interface A { readonly b: true }")).toEqual([]);
});
