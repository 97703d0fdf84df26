import { randomBytes } from "node:crypto";
import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import type { NodeId } from "../../../base/bytes/id.ts";
import { mapInTurns, runInTurns, sortInTurns } from "../../../base/work/work.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { id, integer } from "../params.ts";
import { currentValidatorSet } from "./validator-sets.ts";

/** Draws units of weight without replacement, so a node may be drawn several times (rpc-platform 5.11). */
export const sampleValidators = method({
  name: "platform.sampleValidators",
  summary: "A random sample of a subnet's validators, by weight.",
  cost: "O(validators + size), in turns; size is at most 65,535",
  computeUnits: 20,
  params: { size: integer(16), subnetID: id },
  async handler({ size, subnetID: subnetId }, context) {
    if (size === 0) return { validators: [] };
    const set = await currentValidatorSet(context, subnetId);
    const fail = (why: string) => new RpcError(`sampling ${formatId(subnetId)} errored with ${why}`);
    if (set.size === 0) throw fail("missing validators");
    const members = [...set].map(([nodeId, { weight }]) => ({ nodeId, weight }));
    const total = members.reduce((sum, { weight }) => sum + weight, 0n);
    if (BigInt(size) > total) throw fail("insufficient weight");
    const { work } = context;
    const units = await sortInTurns(work, await runInTurns(work, drawUnits(BigInt(size), total)), (a, b) => (a < b ? -1 : 1));
    const owners = await sortInTurns(work, ownersOf(units, members));
    return { validators: await mapInTurns(work, owners, formatNodeId) };
  },
});

/** Floyd's algorithm: returns `count` different numbers below `total` and pauses after each. */
function* drawUnits(count: bigint, total: bigint): Generator<void, bigint[]> {
  const drawn = new Set<bigint>();
  for (let bound = total - count; bound < total; bound++) {
    const unit = randomUpTo(bound);
    drawn.add(drawn.has(unit) ? bound : unit);
    yield;
  }
  return [...drawn];
}

/** 128 random bits make the modulo bias negligible. */
function randomUpTo(bound: bigint): bigint {
  return BigInt(`0x${randomBytes(16).toString("hex")}`) % (bound + 1n);
}

/** @param units ascending */
function ownersOf(units: readonly bigint[], members: readonly { nodeId: NodeId; weight: bigint }[]): NodeId[] {
  const owners: NodeId[] = [];
  let next = 0;
  let end = 0n;
  for (const { nodeId, weight } of members) {
    end += weight;
    for (; next < units.length && units[next]! < end; next++) owners.push(nodeId);
  }
  return owners;
}
