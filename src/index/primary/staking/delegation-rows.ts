/** Rows of delegations: the record, and the lists by status. */

import type { Id } from "../../../base/bytes/id.ts";
import type { View } from "../../../base/table/view.ts";
import { splitReward } from "../../../chains/platform/rewards.ts";
import type { Staker } from "../../../chains/platform/state/staker.ts";
import { delegatorOrigin } from "./staking-origin.ts";
import { delegationScope } from "./staking-scope.ts";
import { ACTIVE, type Delegation, delegationLists, delegations, PENDING } from "./staking-tables.ts";

export function newDelegation(
  staker: Staker,
  {
    isPending,
    height,
    timestamp,
    validation,
    shares,
  }: {
    isPending: boolean;
    height: bigint;
    timestamp: bigint;
    validation: Id;
    shares: number;
  },
): Delegation {
  const { subnetId, nodeId, weight, startTime, endTime, potentialReward } = staker;
  return {
    status: isPending ? PENDING : ACTIVE,
    ...{ validation, subnetId, nodeId, height, timestamp, weight, start: startTime, end: endTime },
    ...delegatorOrigin(staker),
    shares,
    reward: potentialReward,
    rewardTxId: undefined,
  };
}

export function delegationOf(view: View, txId: Id): Delegation {
  const delegation = view.get(delegations, { txId });
  if (delegation === undefined) throw new Error(`staker ${txId} exists, but has no delegation`);
  return delegation;
}

/** Splits a reward into what the delegator receives and what its validator takes. */
export function shareOf({ reward, shares }: Pick<Delegation, "reward" | "shares">): { net: bigint; fee: bigint } {
  const { rest, shared } = splitReward(reward, shares);
  return { net: rest, fee: shared };
}

export function putDelegation(view: View, txId: Id, delegation: Delegation, before?: Delegation): void {
  view.put(delegations, { txId }, delegation);
  if (before?.status === delegation.status) return;
  if (before !== undefined) for (const scope of scopesOf(before)) view.delete(delegationLists, { scope, height: before.height, txId });
  for (const scope of scopesOf(delegation)) view.put(delegationLists, { scope, height: delegation.height, txId }, {});
}

function scopesOf({ status, nodeId, owner }: Delegation): string[] {
  const scopes = [delegationScope(status, {}), delegationScope(status, { nodeId })];
  for (const address of owner) scopes.push(delegationScope(status, { address }), delegationScope(status, { nodeId, address }));
  return scopes;
}
