import fc from "fast-check";
import { expect, test } from "vitest";
import { SortedList } from "../../../../src/chains/platform/state/staker-set.ts";

const numbers = fc.uniqueArray(fc.integer());

test("keeps any elements in ascending order while they come and go", () => {
  fc.assert(
    fc.property(numbers, fc.infiniteStream(fc.boolean()), (values, isRemoved) => {
      const list = new SortedList<number>((a, b) => a - b);
      for (const value of values) list.add(value);
      const kept = values.filter((value) => {
        if (!isRemoved.next().value) return true;
        list.remove(value);
        return false;
      });
      expect(list.items).toEqual(kept.sort((a, b) => a - b));
    }),
  );
});

test("filling gives the same list as adding one by one", () => {
  fc.assert(
    fc.property(numbers, (values) => {
      const filled = new SortedList<number>((a, b) => a - b);
      filled.fill(values);
      expect(filled.items).toEqual(values.toSorted((a, b) => a - b));
    }),
  );
});

test("refuses to remove what it does not have", () => {
  const list = new SortedList<number>((a, b) => a - b);
  list.add(1);
  expect(() => list.remove(2)).toThrow(RangeError);
});
