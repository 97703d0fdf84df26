/**
 * Who may propose a block from Durango on: in each slot of 5 seconds after its parent, one validator, drawn by stake from the set at the
 * parent's P-chain height (reference node: vms/proposervm/proposer/windower.go, utils/sampler).
 */
import type { Id, NodeId } from "../base/bytes/id.ts";
import { MersenneTwister64 } from "./mersenne-twister.ts";

const SLOT_SECONDS = 5n;
const INT64_LIMIT = 2n ** 63n;

/** Slot of a block, counted from its parent. Both in Unix seconds. */
export function slotOf(parentTimestamp: bigint, timestamp: bigint): bigint {
  return timestamp < parentTimestamp ? 0n : (timestamp - parentTimestamp) / SLOT_SECONDS;
}

export class ProposerSchedule {
  readonly #validators: readonly (readonly [NodeId, bigint])[];
  /** weights of the subtrees of a heap in which the heaviest validators are on top */
  readonly #sums: readonly bigint[];

  /** @param validators with their weights, in any order */
  constructor(validators: Iterable<readonly [NodeId, bigint]>) {
    const sorted = [...validators].sort(([id, weight], [otherId, other]) =>
      weight === other ? (id < otherId ? -1 : 1) : weight > other ? -1 : 1,
    );
    const sums = sorted.map(([, weight]) => weight);
    for (let i = sums.length - 1; i > 0; i--) sums[(i - 1) >> 1]! += sums[i]!;
    this.#validators = sorted;
    this.#sums = sums;
  }

  /** undefined if there are no validators: then anyone may propose, without a signature */
  proposer(chainId: Id, height: bigint, slot: bigint): NodeId | undefined {
    const total = this.#sums[0];
    if (total === undefined) return undefined;
    const source = new MersenneTwister64(BigInt(`0x${chainId.slice(0, 16)}`) ^ height ^ reversed(slot));
    return this.#at(drawBelow(total, source));
  }

  /** The validator whose share of the total weight has this value, in the heap's order. */
  #at(value: bigint): NodeId {
    let left = value;
    for (let i = 0; ; ) {
      const [nodeId, weight] = this.#validators[i]!;
      if (left < weight) return nodeId;
      left -= weight;
      i = 2 * i + 1;
      const sum = this.#sums[i]!;
      if (sum > left) continue;
      left -= sum;
      i++;
    }
  }
}

/** The reference node's unbiased draw from 0 to below `limit`. */
function drawBelow(limit: bigint, source: MersenneTwister64): bigint {
  const last = limit - 1n;
  if ((last & limit) === 0n) return source.uint64() & last;
  const isLarge = last >= INT64_LIMIT;
  const most = isLarge ? last : INT64_LIMIT - 1n - (INT64_LIMIT % limit);
  const draw = () => (isLarge ? source.uint64() : source.uint64() & (INT64_LIMIT - 1n));
  let value = draw();
  while (value > most) value = draw();
  return value % limit;
}

/** The 64 bits in the opposite order. */
function reversed(value: bigint): bigint {
  return BigInt(`0b${[...value.toString(2).padStart(64, "0")].reverse().join("")}`);
}
