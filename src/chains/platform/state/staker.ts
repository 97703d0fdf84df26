/** Stakers: their records, order and priorities (chain-rules 3.1). */
import type { BlsPublicKey, Id, NodeId } from "../../../base/bytes/id.ts";
import type { StakerRow } from "../tables.ts";

/** The order of stakers that change at the same time. The value also determines set, network and role. */
export const Priority = {
  primaryApricotDelegatorPending: 1,
  primaryValidatorPending: 2,
  primaryDelegatorPending: 3,
  elasticValidatorPending: 4,
  elasticDelegatorPending: 5,
  permissionedValidatorPending: 6,
  permissionedValidatorCurrent: 7,
  elasticDelegatorCurrent: 8,
  elasticValidatorCurrent: 9,
  primaryDelegatorCurrent: 10,
  primaryValidatorCurrent: 11,
} as const;

/** The priority that a pending staker gets when it becomes current. */
const PROMOTED: Readonly<Record<number, number>> = { 1: 10, 2: 11, 3: 10, 4: 9, 5: 8, 6: 7 };

const VALIDATORS: ReadonlySet<number> = new Set([2, 4, 6, 7, 9, 11]);

/** A current or pending staker. Immutable: to change one, delete and put it. */
export interface Staker {
  /** the transaction that added it */
  readonly txId: Id;
  readonly nodeId: NodeId;
  readonly subnetId: Id;
  readonly publicKey: BlsPublicKey | undefined;
  readonly weight: bigint;
  readonly startTime: bigint;
  readonly endTime: bigint;
  readonly potentialReward: bigint;
  readonly priority: number;
  /** the staking transaction without inputs, memo and signatures */
  readonly tx: Uint8Array;
}

export function isValidator(staker: Staker): boolean {
  return VALIDATORS.has(staker.priority);
}

export function isPermissioned(staker: Staker): boolean {
  return staker.priority === Priority.permissionedValidatorCurrent || staker.priority === Priority.permissionedValidatorPending;
}

export function isCurrent(staker: Staker): boolean {
  return staker.priority >= Priority.permissionedValidatorCurrent;
}

/** When it will leave its set: a current staker at its end, a pending one at its start. */
export function nextTime(staker: Staker): bigint {
  return isCurrent(staker) ? staker.endTime : staker.startTime;
}

/** A pending staker as it enters the current set. */
export function promoted(staker: Staker, potentialReward: bigint): Staker {
  return { ...staker, potentialReward, priority: PROMOTED[staker.priority]! };
}

/** The order of both sets: by next time, priority, and transaction. */
export function compareStakers(a: Staker, b: Staker): number {
  const timeA = nextTime(a);
  const timeB = nextTime(b);
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  if (a.priority !== b.priority) return a.priority - b.priority;
  if (a.txId === b.txId) return 0;
  return a.txId < b.txId ? -1 : 1;
}

export function stakerRow(staker: Staker): StakerRow {
  const { txId: _, ...row } = staker;
  return { ...row, isCurrent: isCurrent(staker) };
}

export function stakerOf(txId: Id, row: StakerRow): Staker {
  const { isCurrent: _, ...fields } = row;
  return { txId, ...fields };
}
