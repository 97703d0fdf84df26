import fc from "fast-check";
import { expect, test } from "vitest";
import { MinHeap } from "../../../src/base/collections/min-heap.ts";

test("a heap gives its items in the order of their keys, whatever was put in and taken out before", () => {
  const steps = fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant("pop" as const)));
  fc.assert(
    fc.property(steps, (all) => {
      const heap = new MinHeap<number>((item) => item);
      let model: number[] = [];
      for (const step of all) {
        if (step === "pop") {
          expect(heap.pop()).toBe(model.length === 0 ? undefined : Math.min(...model));
          model = model.toSorted((a, b) => a - b).slice(1);
        } else {
          heap.push(step);
          model.push(step);
        }
        expect(heap.size).toBe(model.length);
      }
    }),
  );
});
