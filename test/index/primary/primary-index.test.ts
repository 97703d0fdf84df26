import fc from "fast-check";
import { expect, test } from "vitest";
import { View } from "../../../src/base/table/view.ts";
import type { PrimaryFacts } from "../../../src/index/primary/facts.ts";
import { PrimaryIndex } from "../../../src/index/primary/primary-index.ts";
import type { Projection } from "../../../src/index/primary/projection.ts";
import { testNetwork } from "../../chains/platform/state/fixture.ts";
import { MemoryRows } from "../../conformance/memory-rows.ts";

function operation(timestamp: bigint): PrimaryFacts {
  const id = "00".repeat(32);
  return { chain: "shared-memory", source: id, destination: id, elements: [], removed: [], timestamp };
}

/** Notes what it is called with. */
function noting(name: string, calls: string[]): Projection {
  const times = (run: readonly PrimaryFacts[]) => run.map((facts) => (facts.chain === "shared-memory" ? facts.timestamp : facts.chain));
  return {
    residentTables: [],
    async fetch(_view, run) {
      calls.push(`${name} fetches for ${times(run).join(" ")}`);
    },
    project(_view, facts) {
      calls.push(`${name} projects ${times([facts])[0]}`);
    },
  };
}

test("each projection fetches for the whole run; then all are given one fact after the other, once", async () => {
  const calls: string[] = [];
  const index = new PrimaryIndex(new View(), testNetwork(), [noting("a", calls), noting("b", calls)]);
  index.add(operation(1n));
  index.add(operation(2n));
  await index.flush(async () => {}, new MemoryRows());
  expect(calls).toEqual(["a fetches for 1 2", "b fetches for 1 2", "a projects 1", "b projects 1", "a projects 2", "b projects 2"]);
  await index.flush(async () => {}, new MemoryRows());
  expect(calls.slice(6).filter((call) => call.includes("projects"))).toEqual([]);
});

test("facts of a step that is undone are forgotten, so that its next attempt is not projected twice", async () => {
  const calls: string[] = [];
  const view = new View();
  const index = new PrimaryIndex(view, testNetwork(), [noting("a", calls)]);
  index.add(operation(1n));
  const mark = view.mark();
  index.add(operation(2n));
  index.add(operation(3n));
  view.rollback(mark);
  index.add(operation(2n));
  await index.flush(async () => {}, new MemoryRows());
  expect(calls).toEqual(["a fetches for 1 2", "a projects 1", "a projects 2"]);
});

/** Each step adds its facts and is kept or undone, as a whole or from some place on; some end the run. */
const anySteps = fc.array(fc.record({ facts: fc.nat(3), kept: fc.nat(3), hasInner: fc.boolean(), endsRun: fc.boolean() }), {
  maxLength: 20,
});

test("whatever is undone, at any depth, leaves no facts behind, and what is kept is projected once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      const calls: string[] = [];
      const view = new View();
      const index = new PrimaryIndex(view, testNetwork(), [noting("a", calls)]);
      const kept: bigint[] = [];
      let time = 0n;
      for (const { facts, kept: keeps, hasInner, endsRun } of steps) {
        const marks = [view.mark()];
        for (let i = 0; i < facts; i++) {
          index.add(operation(time++));
          if (hasInner) {
            const inner = view.mark();
            index.add(operation(time++));
            view.rollback(inner);
          }
          if (i < keeps) kept.push(time - (hasInner ? 2n : 1n));
          marks.push(view.mark());
        }
        view.rollback(marks[Math.min(keeps, facts)]!);
        if (endsRun) {
          await index.flush(async () => {}, new MemoryRows());
          view.drain();
        }
      }
      await index.flush(async () => {}, new MemoryRows());
      expect(calls.filter((call) => call.includes("projects"))).toEqual(kept.map((of) => `a projects ${of}`));
    }),
  );
});
