import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { ALONE, LONG, LONGEST } from "./tiers.ts";

test("every place that the tiers name has a test file", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true }).map((path) => `test/${path}`);
  const isThere = (place: string) => files.some((file) => file.startsWith(place) && file.endsWith(".test.ts"));
  expect([...ALONE, ...LONG, ...LONGEST].filter((place) => !isThere(place))).toEqual([]);
});
