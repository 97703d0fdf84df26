/**
 * The epochs of ACP-181: from Granite on, warp messages are verified at a P-chain height that is fixed for each epoch (chain-rules 14.5).
 */
import type { ProposerHeader } from "./execution.ts";
import type { Upgrades } from "./network.ts";

export type Epoch = NonNullable<ProposerHeader["epoch"]>;

/** A block as its children need it. An option has its parent's values. */
export interface EpochParent {
  readonly timestamp: bigint;
  readonly pChainHeight: bigint;
  readonly epoch?: Epoch;
}

/** The epoch of a child block; undefined before Granite. */
export function epochOfChild(parent: EpochParent, childTimestamp: bigint, upgrades: Upgrades): Epoch | undefined {
  if (childTimestamp < upgrades.times.granite) return undefined;
  const next = (number: bigint): Epoch => ({ pChainHeight: parent.pChainHeight, number, startTime: parent.timestamp });
  if (parent.epoch === undefined) return next(1n);
  const endNanoseconds = parent.epoch.startTime * 1_000_000_000n + upgrades.graniteEpochDuration;
  if (parent.timestamp * 1_000_000_000n < endNanoseconds) return parent.epoch;
  return next(parent.epoch.number + 1n);
}
