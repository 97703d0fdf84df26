import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedCache, CacheSpace } from "../../../src/base/collections/bounded-cache.ts";

test("caches that share a space lose what was not used for longest, in whichever of them it is", () => {
  const space = new CacheSpace(1000);
  const [answers, sets] = [new BoundedCache<number>(space, () => 100), new BoundedCache<number>(space, () => 100)];
  answers.set("a", 1);
  sets.set("b", 2);
  answers.set("c", 3);
  expect([answers.get("a"), sets.get("b"), answers.get("c")]).toEqual([1, 2, 3]);
  answers.get("a");
  sets.set("d", 4);
  expect([answers.get("a"), sets.get("b"), answers.get("c"), sets.get("d")]).toEqual([1, undefined, 3, 4]);
});

test("its bytes are those of its entries, and never more than it may hold, whatever is kept, replaced, cleared or resized", () => {
  const step = fc.record({
    cache: fc.nat(2),
    key: fc.nat(9),
    bytes: fc.nat(2000),
    does: fc.constantFrom("set", "set", "set", "get", "clear", "resize"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      let most = 3000;
      const space = new CacheSpace(most);
      const caches = Array.from({ length: 3 }, () => new BoundedCache<number>(space, (bytes) => bytes));
      for (const { cache, key, bytes, does } of steps) {
        if (does === "set") caches[cache]!.set(`${key}`, bytes);
        else if (does === "get") caches[cache]!.get(`${key}`);
        else if (does === "clear") caches[cache]!.clear();
        else {
          most = bytes * 2;
          space.resize(most);
        }
        expect(space.bytes).toBeLessThanOrEqual(most);
      }
      for (const cache of caches) cache.clear();
      expect(space.bytes).toBe(0);
    }),
  );
});
