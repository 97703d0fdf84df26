/** Draws voters by stake, as a node does for each poll (reference node: utils/sampler, weighted without replacement). */
import { randomBytes } from "node:crypto";
import type { NodeId } from "../base/bytes/id.ts";
import type { Voters } from "./accepted-frontier.ts";

/** A number from 0 up to this one, which it is not. */
export type RandomBelow = (below: bigint) => bigint;

const RANDOM_BYTES = 16;

/** The remainder is off by less than 2⁻⁶⁴: stakes have 64 bits. */
export const randomBelow: RandomBelow = (below) => BigInt(`0x${randomBytes(RANDOM_BYTES).toString("hex")}`) % below;

export class StakeSampler {
  readonly #nodeIds: readonly NodeId[];
  /** where the stake of each voter ends, if all stakes lie in a row */
  readonly #ends: readonly bigint[];
  readonly #random: RandomBelow;

  constructor(voters: Voters, random: RandomBelow = randomBelow) {
    let end = 0n;
    this.#nodeIds = [...voters.keys()];
    this.#ends = [...voters.values()].map((stake) => {
      end += stake;
      return end;
    });
    this.#random = random;
  }

  /** in nAVAX */
  get total(): bigint {
    return this.#ends.at(-1) ?? 0n;
  }

  /** Draws so many different units of stake. Returns how many of them are whose; fewer if there is less stake. O(units × log voters) */
  draw(units: number): ReadonlyMap<NodeId, number> {
    const { total } = this;
    const drawn = new Set<bigint>();
    while (drawn.size < units && BigInt(drawn.size) < total) drawn.add(this.#random(total));
    const counts = new Map<NodeId, number>();
    for (const unit of drawn) {
      const nodeId = this.#nodeIds[this.#placeOf(unit)]!;
      counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
    }
    return counts;
  }

  #placeOf(unit: bigint): number {
    let [low, high] = [0, this.#ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ends[middle]! > unit) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
