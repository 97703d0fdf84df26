/** Rows of rewards: what active stakers can expect, and what was paid. */
import type { Id, NodeId, ShortId } from "../../../base/bytes/id.ts";
import type { View } from "../../../base/table/view.ts";
import { shareOf } from "./delegation-rows.ts";
import { rewardScope } from "./staking-scope.ts";
import {
  DELEGATOR,
  type Delegation,
  type PaidReward,
  paidRewards,
  pendingRewards,
  rewardLists,
  VALIDATOR,
  VALIDATOR_FEE,
  type Validation,
} from "./staking-tables.ts";
import { rewardStart } from "./validation-rows.ts";

/** A row to add or remove. */
interface PendingEntry {
  readonly txId: Id;
  readonly type: number;
  readonly start: bigint;
  readonly nodeId: NodeId;
  readonly owner: readonly ShortId[];
}

/** The reward for the validator's own stake; permissioned validators earn nothing. */
export function ownEntry(txId: Id, validation: Validation): PendingEntry[] {
  const { nodeId, terms } = validation;
  return terms === undefined ? [] : [{ txId, type: VALIDATOR, start: rewardStart(validation), nodeId, owner: terms.validationOwner }];
}

/** The reward of a delegation's owner, and its validator's fee unless that is 0. */
export function delegationEntries(txId: Id, delegation: Delegation, validator: Validation): PendingEntry[] {
  const { timestamp: start, nodeId, owner } = delegation;
  const entries = [{ txId, type: DELEGATOR, start, nodeId, owner }];
  if (shareOf(delegation).fee > 0n) entries.push({ txId, type: VALIDATOR_FEE, start, nodeId, owner: validator.terms!.delegationOwner });
  return entries;
}

export function putPending(view: View, entries: readonly PendingEntry[]): void {
  for (const { txId, type, start, nodeId, owner } of entries) {
    for (const scope of scopesOf(nodeId, owner)) view.put(pendingRewards, { scope, start, txId, type }, {});
  }
}

export function deletePending(view: View, entries: readonly PendingEntry[]): void {
  for (const { txId, type, start, nodeId, owner } of entries) {
    for (const scope of scopesOf(nodeId, owner)) view.delete(pendingRewards, { scope, start, txId, type });
  }
}

/** @param timestamp of the block that paid, Unix seconds */
export function putPaid(view: View, utxoId: Id, reward: PaidReward, timestamp: bigint): void {
  view.put(paidRewards, { utxoId }, reward);
  for (const scope of scopesOf(reward.nodeId, reward.owner)) view.put(rewardLists, { scope, timestamp, utxoId }, {});
}

function scopesOf(nodeId: NodeId, owner: readonly ShortId[]): ShortId[] {
  return [rewardScope({ nodeId }), ...owner.flatMap((address) => [rewardScope({ address }), rewardScope({ nodeId, address })])];
}
