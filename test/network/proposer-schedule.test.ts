/** The values are those of the reference node's tests (vms/proposervm/proposer/windower_test.go). */
import { describe, expect, test } from "vitest";
import { ProposerSchedule, slotOf } from "../../src/network/proposer-schedule.ts";

const NODES = Array.from({ length: 10 }, (_, i) => `${(i + 1).toString(16).padStart(2, "0")}${"00".repeat(19)}`);
const schedule = new ProposerSchedule(NODES.map((nodeId) => [nodeId, 1n]));
const CHAIN = `0002${"00".repeat(30)}`;
const BY_SLOT = [2, 0, 9, 7, 0, 3, 3, 3, 3, 3, 4, 0, 6, 3, 2, 1, 6, 0, 5, 1, 9, 6, 0, 8];

describe("The proposer of a slot", () => {
  test("is the reference node's for every slot", () => {
    expect(BY_SLOT.map((_, slot) => schedule.proposer(CHAIN, 1n, BigInt(slot)))).toEqual(BY_SLOT.map((node) => NODES[node]));
    expect([720n, 721n].map((slot) => schedule.proposer(CHAIN, 1n, slot))).toEqual([NODES[4], NODES[6]]);
  });

  test("changes with the height", () => {
    expect([1n, 2n].map((height) => schedule.proposer(CHAIN, height, 0n))).toEqual([NODES[2], NODES[1]]);
  });

  test("does not depend on the order in which the validators are given", () => {
    const other = new ProposerSchedule(NODES.map((nodeId) => [nodeId, 1n] as const).reverse());
    for (let slot = 0n; slot < 50n; slot++) expect(other.proposer(CHAIN, 7n, slot)).toBe(schedule.proposer(CHAIN, 7n, slot));
  });

  test("is nobody where there are no validators", () => {
    expect(new ProposerSchedule([]).proposer(CHAIN, 1n, 0n)).toBeUndefined();
  });

  test("is the only validator, whatever its weight", () => {
    for (const weight of [1n, 3n, 2n ** 63n, 2n ** 63n + 5n, 2n ** 64n - 1n]) {
      expect(new ProposerSchedule([[NODES[0]!, weight]]).proposer(CHAIN, 3n, 4n)).toBe(NODES[0]);
    }
  });
});

test("A slot lasts five seconds", () => {
  expect([100n, 104n, 105n, 110n, 99n].map((time) => slotOf(100n, time))).toEqual([0n, 0n, 1n, 2n, 0n]);
});
