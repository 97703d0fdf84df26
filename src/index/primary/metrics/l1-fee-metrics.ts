/**
 * Daily totals of what L1 validators paid as continuous fee, for all, each subnet, each node and each validation. All active validators pay
 * the same, so only those that become active or inactive cost rows: two for each scope.
 */
import type { ShortId } from "../../../base/bytes/id.ts";
import { rowKey, type View } from "../../../base/table/view.ts";
import { dayOf } from "../../../base/time/intervals.ts";
import type { L1ValidatorEvent } from "../../../chains/platform/events.ts";
import type { PlatformFacts } from "../../../chains/platform/facts.ts";
import { isCharged, l1Balance } from "../l1s/l1-balance.ts";
import { l1ValidatorScope, validationScope } from "../l1s/l1-scope.ts";
import { P_CHAIN } from "../primary-chain.ts";
import type { Projection } from "../projection.ts";
import { accruedFeeDays, type L1FeeTotal, l1FeeDays, l1FeeScopes } from "./primary-metric-tables.ts";

export const NO_FEES: L1FeeTotal = { fees: 0n, accruedFees: 0n, paying: 0n, payers: 0n };

export const l1FeeMetrics: Projection = {
  residentTables: [],

  async fetch(_view, run, fetch) {
    const changes = run.flatMap((item) => (item.chain === P_CHAIN ? changesOf(item.facts) : []));
    await fetch(changes.flatMap((change) => scopesOf(change).map((scope) => rowKey(l1FeeScopes, { scope }))));
  },

  project(view, item) {
    if (item.chain !== P_CHAIN) return;
    const day = dayOf(item.facts.timestamp);
    view.writeUnread(accruedFeeDays, { day }, { accruedFees: item.facts.accruedFees });
    for (const change of changesOf(item.facts)) projectChange(view, change, day);
  },
};

/** Events that make a validator active or inactive. */
function changesOf({ events }: PlatformFacts): L1ValidatorEvent[] {
  return events.filter((event) => event.kind === "l1-validator").filter(({ before, after }) => isCharged(before) !== isCharged(after));
}

function scopesOf({ validationId, before, after }: L1ValidatorEvent): [ofValidation: ShortId, ...others: ShortId[]] {
  const { subnetId, nodeId } = (after ?? before)!;
  return [validationScope(validationId), ...[{}, { subnetId }, { nodeId }].map(l1ValidatorScope)];
}

function projectChange(view: View, change: L1ValidatorEvent, day: number): void {
  const { accruedFees, before, after, txId } = change;
  const isPaying = isCharged(after);
  const scopes = scopesOf(change);
  const own = view.get(l1FeeScopes, { scope: scopes[0] });
  const hasPaidToday = own !== undefined && payersOn(day, own) > 0n;
  // one that ran out paid only what it had: its balance is then at most 0, the amount that was charged too much
  const tooMuch = txId === undefined ? l1Balance(before, accruedFees) : 0n;
  for (const scope of scopes) {
    const last = view.get(l1FeeScopes, { scope }) ?? { ...NO_FEES, day };
    const total = {
      fees: feesAt(accruedFees, last) + tooMuch,
      accruedFees,
      paying: last.paying + (isPaying ? 1n : -1n),
      payers: payersOn(day, last) + (isPaying && !hasPaidToday ? 1n : 0n),
    };
    view.put(l1FeeScopes, { scope }, { ...total, day });
    view.writeUnread(l1FeeDays, { scope, day }, total);
  }
}

/** nAVAX that a scope paid until the accrued fees are these, if nothing changes before. */
export function feesAt(accruedFees: bigint, { fees, accruedFees: before, paying }: L1FeeTotal): bigint {
  return fees + paying * (accruedFees - before);
}

/** How many paid on a day, from the last change on or before it. */
export function payersOn(day: number, { payers, paying, day: changed }: L1FeeTotal & { readonly day: number }): bigint {
  return changed === day ? payers : paying;
}
