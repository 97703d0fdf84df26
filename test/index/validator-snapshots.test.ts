import fc from "fast-check";
import { expect, test } from "vitest";
import { validatorSetAt } from "../../src/api/rpc/platform/validator-sets.ts";
import { View } from "../../src/base/table/view.ts";
import { RequestWork } from "../../src/base/work/work.ts";
import type { ValidatorChange } from "../../src/chains/platform/events.ts";
import { platformValidatorDiffs, type ValidatorMember } from "../../src/chains/platform/tables.ts";
import { validatorSnapshots } from "../../src/index/tables.ts";
import {
  decodeValidatorSet,
  encodeValidatorSet,
  projectValidatorSnapshots,
  type ValidatorSet,
  validatorSetProgress,
} from "../../src/index/validator-snapshots.ts";
import { MemoryReader } from "../api/rpc/memory-reader.ts";

const nodeId = (n: number) => n.toString(16).padStart(40, "0");
const subnetId = (n: number) => n.toString(16).padStart(64, "0");
const publicKey = (n: number) => n.toString(16).padStart(96, "0");

const member = fc.option(
  fc.record({
    weight: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    publicKey: fc.option(fc.nat({ max: 5 }).map(publicKey), { nil: undefined }),
  }),
  { nil: undefined },
);
/** What one block makes of some nodes of some subnets. */
const block = fc.array(fc.record({ subnet: fc.nat({ max: 1 }), node: fc.nat({ max: 400 }), after: member }), { maxLength: 120 });

class History {
  readonly view = new View();
  readonly reader = new MemoryReader();
  readonly sets: [Map<string, ValidatorMember>, Map<string, ValidatorMember>] = [new Map(), new Map()];
  /** copies of both sets after each height */
  readonly expected: [ValidatorSet, ValidatorSet][] = [];

  constructor() {
    this.view.setResident(validatorSetProgress);
  }

  accept(changes: readonly { subnet: number; node: number; after: ValidatorMember | undefined }[]): void {
    const height = BigInt(this.expected.length);
    const merged = new Map(changes.map((change) => [`${change.subnet} ${change.node}`, change]));
    const facts: ValidatorChange[] = [];
    for (const { subnet, node, after } of merged.values()) {
      const set = this.sets[subnet as 0 | 1];
      const before = set.get(nodeId(node));
      if (before === undefined && after === undefined) continue;
      if (after === undefined) set.delete(nodeId(node));
      else set.set(nodeId(node), after);
      facts.push({ subnetId: subnetId(subnet), nodeId: nodeId(node), before, after });
      this.view.put(platformValidatorDiffs, { subnetId: subnetId(subnet), height, nodeId: nodeId(node) }, { before, after });
    }
    projectValidatorSnapshots(this.view, height, facts, (id) => this.sets[id === subnetId(0) ? 0 : 1]);
    this.reader.apply(this.view.drain());
    this.expected.push([new Map(this.sets[0]), new Map(this.sets[1])]);
  }
}

test("the set at every height is what a replay of all changes gives", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 40 }), async (blocks) => {
      const history = new History();
      for (const changes of blocks) history.accept(changes);
      for (const [height, sets] of history.expected.entries()) {
        for (const subnet of [0, 1] as const) {
          expect(await validatorSetAt({ reader: history.reader, work: new RequestWork() }, subnetId(subnet), BigInt(height))).toEqual(
            sets[subnet],
          );
        }
      }
    }),
    { numRuns: 40 },
  );
});

test("reading any height takes at most one snapshot and as many changes as the set has members, however long the history", async () => {
  const history = new History();
  const perBlock = 20;
  for (let height = 0; height < 600; height++) {
    // 300 nodes whose weights change in turn: 12,000 changes in all
    const changes = Array.from({ length: perBlock }, (_, i) => ({
      subnet: 0,
      node: (height * perBlock + i) % 300,
      after: { weight: BigInt(height + 1), publicKey: undefined },
    }));
    history.accept(changes);
  }
  for (let height = 0; height < 600; height += 7) {
    history.reader.rowsRead = 0;
    const set = await validatorSetAt({ reader: history.reader, work: new RequestWork() }, subnetId(0), BigInt(height));
    expect(set.size).toBe(Math.min((height + 1) * perBlock, 300));
    expect(history.reader.rowsRead).toBeLessThanOrEqual(1 + 300 + perBlock);
  }
  const snapshots = await history.reader.scan(validatorSnapshots, { prefix: { subnetId: subnetId(0) }, limit: 1000 });
  expect(snapshots.length).toBeLessThanOrEqual((600 * perBlock) / 256);
});

test("a subnet that never had validators has an empty set", async () => {
  expect(await validatorSetAt({ reader: new MemoryReader(), work: new RequestWork() }, subnetId(7), 5n)).toEqual(new Map());
});

test("an encoded set decodes to itself, ascending by node", () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.nat({ max: 1000 }).map(nodeId),
        member.filter((value) => value !== undefined),
      ),
      (members) => {
        const set = new Map(Object.entries(members));
        const decoded = decodeValidatorSet(encodeValidatorSet(set));
        expect(decoded).toEqual(set);
        expect([...decoded.keys()]).toEqual([...set.keys()].sort());
      },
    ),
  );
});
