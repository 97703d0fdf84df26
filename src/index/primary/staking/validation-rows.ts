/** Rows of validations: the record, the node's active or pending validation, and the lists of past validations. */

import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import type { View } from "../../../base/table/view.ts";
import type { Staker } from "../../../chains/platform/state/staker.ts";
import { validatorOrigin } from "./staking-origin.ts";
import { feeIntervalScope, feeIntervalsOf, feeOrderScope, pastValidationScope } from "./staking-scope.ts";
import {
  ACTIVE,
  COMPLETED,
  currentValidations,
  PENDING,
  pastValidations,
  pastValidationsByFee,
  REMOVED,
  type Validation,
  validations,
} from "./staking-tables.ts";

const NOBODY = { count: 0, weight: 0n, fees: 0n };

export function newValidation(
  staker: Staker,
  { isPending, height, timestamp }: { isPending: boolean; height: bigint; timestamp: bigint },
): Validation {
  const { subnetId, nodeId, weight, startTime, endTime, potentialReward } = staker;
  return {
    status: isPending ? PENDING : ACTIVE,
    ...{ subnetId, nodeId, height, timestamp, weight, start: startTime, end: endTime, potentialReward },
    ...validatorOrigin(staker),
    delegators: NOBODY,
    everDelegated: { count: 0, weight: 0n },
    rewards: { validation: 0n, delegation: 0n },
    left: undefined,
  };
}

/** The start that lists of rewards show: the block time of the staking transaction, or the start of an auto-renewed validator's cycle. */
export function rewardStart({ isAutoRenewed, start, timestamp }: Validation): bigint {
  return isAutoRenewed ? start : timestamp;
}

/** The staking transaction of the node's active or pending validator. */
export function currentValidationOf(view: View, { subnetId, nodeId }: { subnetId: Id; nodeId: NodeId }): Id {
  const row = view.get(currentValidations, { subnetId, nodeId });
  if (row === undefined) throw new Error(`node ${nodeId} of subnet ${subnetId} has a delegator, but is not a validator`);
  return row.txId;
}

export function validationOf(view: View, txId: Id): Validation {
  const validation = view.get(validations, { txId });
  if (validation === undefined) throw new Error(`staker ${txId} exists, but has no validation`);
  return validation;
}

/** Adds it to the lists of past validations. */
export function listPastValidation(view: View, txId: Id, validation: Validation): void {
  const { status, subnetId, nodeId, height, terms } = validation;
  const isOfPrimaryNetwork = subnetId === PRIMARY_NETWORK_ID;
  const scopes = [{}, { subnetId }, { nodeId }, { subnetId, nodeId }].map((of) => pastValidationScope(status, of));
  if (isOfPrimaryNetwork && terms !== undefined) {
    for (const interval of feeIntervalsOf(terms.shares)) scopes.push(feeIntervalScope(interval), feeIntervalScope(interval, nodeId));
    for (const scope of [feeOrderScope(), feeOrderScope(nodeId)]) {
      view.put(pastValidationsByFee, { scope, shares: terms.shares, height, txId }, { nodeId });
    }
  }
  for (const scope of scopes) view.put(pastValidations, { scope, height, txId }, { nodeId, shares: terms?.shares ?? 0 });
}

export function statusAfter(reason: "rewarded" | "forfeited" | "removed" | "expired"): number {
  return reason === "removed" ? REMOVED : COMPLETED;
}
