import { describe, expect, test } from "vitest";
import { DumpSchedule } from "../../../../src/devnet/anvil/sealing/dump-schedule.ts";

/** The number of blocks until the next dump is due. */
function blocksUntilDue(schedule: DumpSchedule, block = { transactions: 0, gasUsed: 0 }): number {
  for (let blocks = 0; blocks < 100_000; blocks++) {
    if (schedule.isDue) return blocks;
    schedule.sealed(block);
  }
  throw new Error("never due");
}

describe("a dump is due", () => {
  test("after so many blocks, fewer if there is much in them", () => {
    expect(blocksUntilDue(new DumpSchedule())).toBe(256);
    expect(blocksUntilDue(new DumpSchedule(), { transactions: 3, gasUsed: 0 })).toBe(64);
    expect(blocksUntilDue(new DumpSchedule(), { transactions: 0, gasUsed: 15_000_000 })).toBe(9);
  });

  test("later if the last one took long", () => {
    const schedule = new DumpSchedule();
    schedule.dumped(100);
    expect(blocksUntilDue(schedule)).toBe(256 + 2_000);
  });

  test("sooner if the child began with blocks that no dump has", () => {
    const schedule = new DumpSchedule();
    schedule.startedWith(250);
    expect(schedule.isDueAtEnd).toBe(true);
    expect(blocksUntilDue(schedule)).toBe(6);
  });

  test("after as many blocks as were asked for", () => {
    expect(blocksUntilDue(new DumpSchedule(3), { transactions: 999, gasUsed: 0 })).toBe(3);
  });
});
