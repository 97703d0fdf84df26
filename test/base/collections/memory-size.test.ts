import { expect, test } from "vitest";
import { memorySize } from "../../../src/base/collections/bounded-cache.ts";

test("the size of a value counts what lies deep in it", () => {
  expect(memorySize(new Uint8Array(1_000_000))).toBeGreaterThanOrEqual(1_000_000);
  expect(memorySize({ pages: [{ text: "x".repeat(1_000_000) }] })).toBeGreaterThanOrEqual(1_000_000);
  expect(memorySize(new Map([["a", new Uint8Array(1_000_000)]]))).toBeGreaterThanOrEqual(1_000_000);
  expect(memorySize(Array.from({ length: 10_000 }, () => new Uint8Array(100)))).toBeGreaterThanOrEqual(1_000_000);
});

test("the size of a small value is small", () => {
  expect(memorySize(7n)).toBeLessThan(100);
  expect(memorySize({ a: 1, b: "two", c: [] })).toBeLessThan(300);
  expect(memorySize([])).toBeLessThan(100);
});
