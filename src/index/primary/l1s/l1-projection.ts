/**
 * L1 validators: the records of those that are not removed, their lists, and what each transaction changed. A validator that is added,
 * removed, activated or deactivated costs five rows, other changes one or two.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { rowKey, type View } from "../../../base/table/view.ts";
import type { L1ValidatorEvent } from "../../../chains/platform/events.ts";
import type { PlatformFacts } from "../../../chains/platform/facts.ts";
import type { L1ValidatorRow } from "../../../chains/platform/tables.ts";
import { type L1ValidatorInfo, l1TxDetails, l1ValidatorLists, l1Validators } from "../network/network-tables.ts";
import { P_CHAIN } from "../primary-chain.ts";
import type { Projection } from "../projection.ts";
import { isCharged, l1Balance } from "./l1-balance.ts";
import { l1ValidatorScopes } from "./l1-scope.ts";

export const l1Projection: Projection = {
  residentTables: [],

  async fetch(_view, run, fetch) {
    const touched = run.flatMap((item) => (item.chain === P_CHAIN ? validationsOf(item.facts) : []));
    await fetch(touched.map((validationId) => rowKey(l1Validators, { validationId })));
  },

  project(view, item) {
    if (item.chain === P_CHAIN) projectBlock(view, item.facts);
  },
};

function validationsOf({ events }: PlatformFacts): Id[] {
  return events.flatMap((event) => {
    if (event.kind === "l1-validator") return [event.validationId];
    const disabled = disabledBy(event);
    return disabled === undefined ? [] : [disabled];
  });
}

function disabledBy(event: PlatformFacts["events"][number]): Id | undefined {
  if (event.kind !== "tx" || event.tx.unsigned.kind !== "DisableL1ValidatorTx") return undefined;
  return event.tx.unsigned.validationId;
}

function projectBlock(view: View, { events, height }: PlatformFacts): void {
  /** how many validators each transaction changed */
  const counts = new Map<Id, number>();
  for (const event of events) {
    if (event.kind === "l1-validator") {
      const { txId, validationId } = event;
      if (txId !== undefined) {
        const index = counts.get(txId) ?? 0;
        counts.set(txId, index + 1);
        view.put(l1TxDetails, { txId, index }, { ...detail(event), height });
      }
      putValidator(view, event, height);
      putLists(view, validationId, event);
      continue;
    }
    const validationId = disabledBy(event);
    if (validationId === undefined || event.kind !== "tx" || counts.has(event.tx.id)) continue;
    // Disabling an inactive validator changes nothing, but the transaction is listed under that validator.
    const { nodeId, subnetId, publicKey, weight } = view.get(l1Validators, { validationId })!;
    const unchanged = { validationId, nodeId, subnetId, publicKey, weight, balanceBefore: 0n, remainingBalance: 0n, height };
    view.put(l1TxDetails, { txId: event.tx.id, index: 0 }, unchanged);
  }
}

function detail({ validationId, before, after, accruedFees }: L1ValidatorEvent) {
  const { nodeId, subnetId, publicKey } = (after ?? before)!;
  const [balanceBefore, remainingBalance] = [l1Balance(before, accruedFees), l1Balance(after, accruedFees)];
  return { validationId, nodeId, subnetId, publicKey, weight: after?.weight ?? 0n, balanceBefore, remainingBalance };
}

function putValidator(view: View, { validationId, after }: L1ValidatorEvent, height: bigint): void {
  if (after === undefined) view.delete(l1Validators, { validationId });
  else view.put(l1Validators, { validationId }, { ...record(after), height });
}

function record(row: L1ValidatorRow): Omit<L1ValidatorInfo, "height"> {
  const { subnetId, nodeId, publicKey, remainingBalanceOwner, deactivationOwner, weight, endAccumulatedFee } = row;
  return { subnetId, nodeId, publicKey, remainingBalanceOwner, deactivationOwner, createdAt: row.startTime, weight, endAccumulatedFee };
}

/** Writes list rows only when the validator moves between lists: an existing row must not be written without being read. */
function putLists(view: View, validationId: Id, { before, after }: L1ValidatorEvent): void {
  if (before !== undefined && after !== undefined && isCharged(before) === isCharged(after)) return;
  for (const [row, isThere] of [
    [before, false],
    [after, true],
  ] as const) {
    if (row === undefined) continue;
    for (const scope of l1ValidatorScopes(row)) {
      const key = { scope, isActive: isCharged(row), createdAt: row.startTime, validationId };
      if (isThere) view.put(l1ValidatorLists, key, {});
      else view.delete(l1ValidatorLists, key);
    }
  }
}
