import fc from "fast-check";
import { expect, test } from "vitest";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import type { NodeId } from "../../../../src/base/bytes/id.ts";
import { platformValidatorDiffs, type ValidatorMember } from "../../../../src/chains/platform/tables.ts";
import { validatorSnapshots } from "../../../../src/index/tables.ts";
import { encodeValidatorSet } from "../../../../src/index/validator-snapshots.ts";
import { randomOf } from "../../../random.ts";
import { id, PlatformNode, shortId } from "./platform-node.ts";

const subnetId = id(0x5e);
const NEWEST = 40;

type Sets = ReadonlyMap<NodeId, ValidatorMember>[];

/** Writes a history of few validators that come, go and change, with a snapshot now and then; returns the sets by height. */
function writeHistory({ reader }: PlatformNode, seed: number, from: Sets = []): Sets {
  const random = randomOf(seed);
  const dice = (sides: number) => Math.floor(random() * sides);
  const sets = [...from];
  const set = new Map(from.at(-1));
  for (let height = sets.length; height <= NEWEST; height++) {
    const changed = new Set(Array.from({ length: dice(4) }, () => shortId(dice(9))));
    for (const nodeId of changed) {
      const before = set.get(nodeId);
      const after =
        before !== undefined && dice(3) === 0
          ? undefined
          : { weight: BigInt(1 + dice(1e6)), publicKey: dice(2) === 0 ? undefined : nodeId.padEnd(96, "a") };
      if (after === undefined) set.delete(nodeId);
      else set.set(nodeId, after);
      reader.put(platformValidatorDiffs, { subnetId, height: BigInt(height), nodeId }, { before, after });
    }
    if (dice(8) === 0) reader.put(validatorSnapshots, { subnetId, height: BigInt(height) }, { set: encodeValidatorSet(set) });
    sets.push(new Map(set));
  }
  return sets;
}

function jsonOf(set: ReadonlyMap<NodeId, ValidatorMember>): string {
  const names = new Map([...set].map(([nodeId, member]) => [formatNodeId(nodeId), member]));
  const members = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    Object.fromEntries(
      members.map(([name, { weight, publicKey }]) => [
        name,
        { publicKey: publicKey === undefined ? null : `0x${publicKey}`, weight: `${weight}` },
      ]),
    ),
  );
}

const ask = (node: PlatformNode, height: number) => node.ask("getValidatorsAt", { height, subnetID: formatId(subnetId) });

test("a set put together from pieces is the set, in whatever order heights are asked for", async () => {
  const heights = fc.array(fc.nat(NEWEST), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.nat(), heights, fc.constantFrom(0, undefined), async (seed, asked, generation) => {
      const node = new PlatformNode().moveTo({ height: BigInt(NEWEST) });
      node.generation = generation;
      const sets = writeHistory(node, seed);
      for (const height of asked) {
        // another state has other whole answers
        node.moveTo({ height: BigInt(NEWEST) });
        expect(await ask(node, height)).toBe(jsonOf(sets[height]!));
      }
    }),
    { numRuns: 40 },
  );
});

test("heights that are asked for at once get their own sets", async () => {
  const node = new PlatformNode().moveTo({ height: BigInt(NEWEST) });
  const sets = writeHistory(node, 7);
  const all = await Promise.all(sets.map((_, height) => ask(node, height)));
  expect(all).toEqual(sets.map(jsonOf));
});

test("a set of a history that was replaced is not told again", async () => {
  const node = new PlatformNode().moveTo({ height: BigInt(NEWEST) });
  const first = writeHistory(node, 1);
  for (const [height, set] of first.entries()) expect(await ask(node, height)).toBe(jsonOf(set));
  const other = new PlatformNode();
  const second = writeHistory(other, 2);
  expect(second.map(jsonOf)).not.toEqual(first.map(jsonOf));
  Object.assign(node, { reader: other.reader, generation: 1 });
  node.moveTo({ height: BigInt(NEWEST) });
  for (const height of second.keys()) expect(await ask(node, height)).toBe(jsonOf(second[height]!));
});
