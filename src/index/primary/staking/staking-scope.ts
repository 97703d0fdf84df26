/**
 * The first key column of lists of stakers and rewards: a hash of everything that all rows of the list share. An absent node, subnet or
 * address means all of them.
 */
import { sha256Hex } from "../../../base/bytes/hash.ts";
import type { Id, NodeId, ShortId } from "../../../base/bytes/id.ts";

const SCOPE_HEX_DIGITS = 40;

function scope(...parts: readonly (string | number | undefined)[]): ShortId {
  return sha256Hex(Buffer.from(parts.join("|"), "latin1")).slice(0, SCOPE_HEX_DIGITS);
}

/** Scope of `past_validations`. */
export function pastValidationScope(status: number, of: { subnetId?: Id | undefined; nodeId?: NodeId | undefined }): ShortId {
  return scope("validations", status, of.subnetId, of.nodeId);
}

/** Scope of `past_validations`, for completed ones of the primary network by fee. */
export function feeIntervalScope({ level, index }: FeeInterval, nodeId?: NodeId): ShortId {
  return scope("fees", level, index, nodeId);
}

/** Scope of `past_validations_by_fee`. */
export function feeOrderScope(nodeId?: NodeId): ShortId {
  return scope("by fee", nodeId);
}

/** Scope of `delegation_lists`. */
export function delegationScope(status: number, of: { nodeId?: NodeId | undefined; address?: ShortId | undefined }): ShortId {
  return scope("delegations", status, of.nodeId, of.address);
}

/** Scope of `pending_rewards` and `reward_lists`. */
export function rewardScope(of: { nodeId?: NodeId | undefined; address?: ShortId | undefined }): ShortId {
  return scope("rewards", of.nodeId, of.address);
}

/** Scope of `staking_lists`; `type` is a class of `transaction-classes.ts`. */
export function stakingListScope(type: number, address?: ShortId): ShortId {
  return scope("staking", type, address);
}

/** All shares s with floor(s / 16^level) = index. */
interface FeeInterval {
  readonly level: number;
  readonly index: number;
}

const RADIX = 16;
/** 16⁵ is the first power above a million, the highest share. */
const LEVELS = 5;
export const MAX_SHARES = RADIX ** LEVELS - 1;

/** The intervals under which a validation with this fee is listed: one per level. */
export function feeIntervalsOf(shares: number): FeeInterval[] {
  return Array.from({ length: LEVELS }, (_, level) => ({ level, index: Math.floor(shares / RADIX ** level) }));
}

/** The fewest intervals that exactly cover the shares from `low` to `high` (both included): at most 30 per level. */
export function feeIntervalsBetween(low: number, high: number): FeeInterval[] {
  const intervals: FeeInterval[] = [];
  let [first, last] = [low, high];
  for (let level = 0; first <= last; level++) {
    const isTop = level === LEVELS - 1;
    while (first <= last && (isTop || first % RADIX !== 0)) intervals.push({ level, index: first++ });
    while (first <= last && last % RADIX !== RADIX - 1) intervals.push({ level, index: last-- });
    first /= RADIX;
    last = (last + 1) / RADIX - 1;
  }
  return intervals;
}
