/** Searches over stakers in memory give up their turn, and find what simple loops find. */

import { expect, test } from "vitest";
import { formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { StakingNodes } from "../../../../src/index/primary/staking/staking-nodes.ts";
import { ACTIVE, knownNodes } from "../../../../src/index/primary/staking/staking-tables.ts";
import { comparePlaces, type LiveValidation, ValidationSnapshot } from "../../../../src/index/primary/staking/validation-snapshot.ts";
import { BudgetedReader } from "../../../../src/store/budgeted-reader.ts";
import { MemoryReader } from "../../../api/rpc/memory-reader.ts";
import { CountedWork } from "../../../base/work/counted-work.ts";

const COUNT = 5000;
const nodeIdOf = (index: number) => ((index * 7919) % COUNT).toString(16).padStart(40, "0");

const validations: LiveValidation[] = Array.from({ length: COUNT }, (_, index) => ({
  txId: index.toString(16).padStart(64, "0"),
  status: ACTIVE,
  subnetId: PRIMARY_NETWORK_ID,
  nodeId: nodeIdOf(index),
  height: BigInt(index % 70),
  weight: 1n,
  delegated: 0n,
  end: 9n,
  shares: 20_000,
  capacity: BigInt((index * 31) % 1000),
}));

test.each([true, false])("a page of validators for which few are fit is found in turns (descending: %s)", async (isDescending) => {
  const work = new CountedWork();
  const accepts = ({ capacity }: LiveValidation) => capacity! % 501n === 0n;
  const page = { order: "capacity", nodeIds: undefined, accepts, after: undefined, isDescending, limit: 100 } as const;
  const found = await new ValidationSnapshot(validations).page(page, work);
  const fit = validations.filter(accepts).map(({ capacity, height, txId }) => ({ figure: capacity!, height, txId }));
  const sorted = fit.sort((a, b) => (isDescending ? -1 : 1) * comparePlaces(a, b));
  expect(found.map(({ figure, height, txId }) => ({ figure, height, txId }))).toEqual(sorted.slice(0, 100));
  expect(work.turns).toBeGreaterThan(COUNT / 128);
});

test("node IDs are learnt, and parts of them looked for, in turns", async () => {
  const rows = new MemoryReader();
  for (let index = 0; index < COUNT; index++) rows.put(knownNodes, { sequence: index }, { nodeId: nodeIdOf(index) });
  const learning = new CountedWork();
  const nodes = new StakingNodes();
  await nodes.learn(new BudgetedReader(rows, learning, { requestRows: COUNT * 2, requestBytes: 2 ** 30 }), COUNT);
  expect([nodes.count, learning.turns > COUNT / 512]).toEqual([COUNT, true]);

  const work = new CountedWork();
  const parts = ["aB", "zz", "Q9"];
  const expected = validations.map(({ nodeId }) => nodeId).filter((nodeId) => parts.some((part) => formatNodeId(nodeId).includes(part)));
  expect(expected.length).toBeGreaterThan(10);
  expect([...(await nodes.matching(parts, work))].sort()).toEqual(expected.sort());
  expect(work.turns).toBeGreaterThan(COUNT / 64);
});
