import fc from "fast-check";
import { expect, test } from "vitest";
import { mapInTurns, sortInTurns, UNLIMITED_WORK } from "../../../src/base/work/work.ts";
import { CountedWork } from "./counted-work.ts";

test("sorts as sort does, equal items in their order", async () => {
  const item = fc.record({ key: fc.nat(20), place: fc.nat() });
  const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 3000, size: "max" }), async (items) => {
      expect(await sortInTurns(UNLIMITED_WORK, items, byKey)).toEqual([...items].sort(byKey));
    }),
    { numRuns: 20 },
  );
});

test("lets others go on within a long loop and within a long sort", async () => {
  const numbers = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_000);
  const [mapping, sorting] = [new CountedWork(), new CountedWork()];
  expect(await mapInTurns(mapping, numbers, (n) => n + 1)).toHaveLength(20_000);
  expect((await sortInTurns(sorting, numbers, (a, b) => a - b))[19_999]).toBe(19_999);
  expect(mapping.turns).toBeGreaterThan(500);
  expect(sorting.turns).toBeGreaterThan(100);
});
