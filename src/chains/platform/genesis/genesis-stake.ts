/** Turns the staked funds of a genesis into its first validators (chain-formats 11.3, steps 6 to 8). */

import type { ShortId } from "../../../base/bytes/id.ts";
import type { GenesisConfig } from "../../../network/genesis-file.ts";

export interface StakePiece {
  readonly address: ShortId;
  readonly amount: bigint;
  readonly locktime: bigint;
}

/** The stake of each staker: equal weights, cut in file order; the last one gets the rounding remainder. Sorted like outputs. */
export function distributeStake(config: GenesisConfig): StakePiece[][] {
  const staked = new Set(config.initialStakedFunds);
  const queue: StakePiece[] = config.allocations
    .filter(({ address }) => staked.has(address))
    .flatMap(({ address, unlockSchedule }) => unlockSchedule.map((unlock) => ({ address, ...unlock })));
  const count = config.initialStakers.length;
  const weight = queue.reduce((sum, { amount }) => sum + amount, 0n) / BigInt(count);

  const shares: StakePiece[][] = [];
  let next = 0;
  let rest = queue[0];
  while (shares.length < count) {
    const isLast = shares.length === count - 1;
    const share: StakePiece[] = [];
    let missing = weight;
    while (rest !== undefined && (isLast || rest.amount <= missing)) {
      if (rest.amount > 0n) share.push(rest);
      missing -= rest.amount;
      rest = queue[++next];
    }
    if (rest !== undefined && !isLast) {
      share.push({ ...rest, amount: missing });
      rest = { ...rest, amount: rest.amount - missing };
    }
    shares.push(share.sort(byLocktimeAmountAddress));
  }
  return shares;
}

/**
 * Orders values as a binary heap with the smallest end time first, after pushing them in order, which is how the node lists its genesis
 * validators.
 */
export function heapOrder<T>(values: readonly T[], endTime: (value: T) => bigint): T[] {
  const heap: T[] = [];
  for (const value of values) {
    let at = heap.length;
    heap.push(value);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (endTime(heap[at]!) >= endTime(heap[parent]!)) break;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }
  return heap;
}

function byLocktimeAmountAddress(a: StakePiece, b: StakePiece): number {
  if (a.locktime !== b.locktime) return a.locktime < b.locktime ? -1 : 1;
  if (a.amount !== b.amount) return a.amount < b.amount ? -1 : 1;
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0;
}
