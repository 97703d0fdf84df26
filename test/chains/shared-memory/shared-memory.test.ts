import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Id } from "../../../src/base/bytes/id.ts";
import { View } from "../../../src/base/table/view.ts";
import { type SharedElement, SharedMemory, sharedElementKeys } from "../../../src/chains/shared-memory/shared-memory.ts";
import { sharedByAddress, sharedElements } from "../../../src/chains/shared-memory/tables.ts";
import { MemoryRows } from "../../conformance/memory-rows.ts";

const P: Id = "0".repeat(64);
const X: Id = "a".repeat(64);

const element = (key: number, ...owners: number[]): SharedElement => ({
  key: key.toString(16).padStart(64, "0"),
  bytes: Buffer.of(0, 0, key),
  traits: owners.map((owner) => owner.toString(16).padStart(40, "0")),
});

/** A shared memory that is committed, and forgotten, after every operation. */
function openMemory() {
  const rows = new MemoryRows();
  const view = new View();
  const memory = new SharedMemory(view);
  const run = (keys: Id[], operation: () => void) => {
    rows.prefetch(view, sharedElementKeys(X, P, keys));
    operation();
    rows.apply(view.drain());
    view.evict();
  };
  return {
    rows,
    put: (elements: SharedElement[]) =>
      run(
        elements.map(({ key }) => key),
        () => memory.put(P, X, elements),
      ),
    remove: (keys: Id[]) => run(keys, () => memory.remove(X, P, keys)),
    get(key: Id) {
      rows.prefetch(view, sharedElementKeys(X, P, [key]));
      return memory.get(X, P, key);
    },
  };
}

type Memory = ReturnType<typeof openMemory>;

function contents({ rows }: Memory) {
  const sorted = (values: unknown[]) => values.map((value) => JSON.stringify(value)).sort();
  return {
    elements: sorted([...rows.all(sharedElements)].map(({ key, value }) => [key.key, value.isTombstone, value.traits])),
    byAddress: sorted([...rows.all(sharedByAddress)].map(({ key }) => [key.address, key.key])),
  };
}

describe("shared memory", () => {
  test("hands an element to the destination until it is removed", () => {
    const memory = openMemory();
    memory.put([element(1, 5, 6)]);
    expect(memory.get(element(1).key)).toEqual(element(1, 5, 6));
    expect(contents(memory).byAddress).toHaveLength(2);
    memory.remove([element(1).key]);
    expect(memory.get(element(1).key)).toBeUndefined();
    expect(contents(memory)).toEqual({ elements: [], byAddress: [] });
  });

  test("keeps the two directions apart", () => {
    const view = new View();
    for (const table of [sharedElements, sharedByAddress]) view.setResident(table);
    const memory = new SharedMemory(view);
    memory.put(P, X, [element(1, 5)]);
    expect(memory.get(P, X, element(1).key)).toBeUndefined();
    expect(memory.get(X, P, element(1).key)).toBeDefined();
  });

  test("stores nothing for a put that comes after its removal", () => {
    const memory = openMemory();
    memory.remove([element(1).key]);
    expect(memory.get(element(1).key)).toBeUndefined();
    memory.put([element(1, 5)]);
    expect(contents(memory)).toEqual({ elements: [], byAddress: [] });
  });

  test("refuses to put a present element, and to remove one twice", () => {
    const memory = openMemory();
    memory.put([element(1, 5)]);
    expect(() => memory.put([element(1, 5)])).toThrow(expect.objectContaining({ code: "duplicate-put" }));
    memory.remove([element(2).key]);
    expect(() => memory.remove([element(2).key])).toThrow(expect.objectContaining({ code: "duplicate-remove" }));
  });

  test("lists an output under each of its addresses once, and one without addresses under none", () => {
    const memory = openMemory();
    memory.put([element(1, 5, 5), element(2)]);
    expect(contents(memory).byAddress).toHaveLength(1);
    expect(memory.get(element(2).key)).toBeDefined();
  });

  test("ends in the same state in whatever order the two chains are executed", () => {
    const interleaving = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 12 }).chain((keys) =>
      fc.record({
        puts: fc.constant(keys),
        removes: fc.shuffledSubarray(keys),
        turns: fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
      }),
    );
    fc.assert(
      fc.property(interleaving, ({ puts, removes, turns }) => {
        const execute = (takesPut: (turn: number) => boolean) => {
          const memory = openMemory();
          const [exporter, importer] = [[...puts], [...removes]];
          for (let turn = 0; exporter.length + importer.length > 0; turn++) {
            const isPut = importer.length === 0 || (exporter.length > 0 && takesPut(turn));
            if (isPut) memory.put([element(exporter.shift()!, 7)]);
            else memory.remove([element(importer.shift()!).key]);
          }
          return contents(memory);
        };
        const exportsFirst = execute(() => true);
        expect(execute((turn) => turns[turn % turns.length]!)).toEqual(exportsFirst);
        expect(execute(() => false)).toEqual(exportsFirst);
        expect(exportsFirst.elements).toHaveLength(puts.length - removes.length);
      }),
    );
  });
});
