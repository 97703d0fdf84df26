/** Daily totals of stakers, for each subnet and for all. A change costs two rows of the subnet and two of all. */
import type { Id } from "../../../base/bytes/id.ts";
import { type RowKey, rowKey, type View } from "../../../base/table/view.ts";
import { dayOf } from "../../../base/time/intervals.ts";
import type { PlatformEvent } from "../../../chains/platform/facts.ts";
import { isCurrent, isValidator, type Staker } from "../../../chains/platform/state/staker.ts";
import type { L1ValidatorRow } from "../../../chains/platform/tables.ts";
import { isCharged } from "../l1s/l1-balance.ts";
import { l1ValidatorScope } from "../l1s/l1-scope.ts";
import { P_CHAIN } from "../primary-chain.ts";
import type { Projection } from "../projection.ts";
import { type StakingTotal, stakingDays, stakingScopes } from "./primary-metric-tables.ts";

/** Somebody who validates or delegates on a subnet. */
interface Member {
  readonly subnetId: Id;
  readonly isDelegator: boolean;
  readonly weight: bigint;
}

export const NO_STAKERS: StakingTotal = { validators: 0n, validatorWeight: 0n, delegators: 0n, delegatorWeight: 0n };

export const stakingMetrics: Projection = {
  residentTables: [],

  async fetch(_view, run, fetch) {
    await fetch(run.flatMap((item) => (item.chain === P_CHAIN ? item.facts.events.flatMap(keysOf) : [])));
  },

  project(view, item) {
    if (item.chain !== P_CHAIN) return;
    const day = dayOf(item.facts.timestamp);
    for (const event of item.facts.events) {
      const { left, entered } = changeOf(event);
      if (left !== undefined) add(view, left, -1n, day);
      if (entered !== undefined) add(view, entered, 1n, day);
    }
  },
};

function keysOf(event: PlatformEvent): RowKey[] {
  const { left, entered } = changeOf(event);
  return scopesOf(left ?? entered).map((scope) => rowKey(stakingScopes, { scope }));
}

function scopesOf(member: Member | undefined) {
  return member === undefined ? [] : [l1ValidatorScope({}), l1ValidatorScope({ subnetId: member.subnetId })];
}

/** Who was a member before the event, and who is after it. */
function changeOf(event: PlatformEvent): { readonly left?: Member | undefined; readonly entered?: Member | undefined } {
  switch (event.kind) {
    case "staker-added":
      return event.isPending ? {} : { entered: staking(event.staker) };
    case "staker-promoted":
      return { entered: staking(event.staker) };
    case "staker-renewed":
      return { left: staking(event.before), entered: staking(event.after) };
    case "staker-left":
      return isCurrent(event.staker) ? { left: staking(event.staker) } : {};
    case "l1-validator":
      return { left: validating(event.before), entered: validating(event.after) };
    default:
      return {};
  }
}

function staking(staker: Staker): Member {
  return { subnetId: staker.subnetId, isDelegator: !isValidator(staker), weight: staker.weight };
}

function validating(validator: L1ValidatorRow | undefined): Member | undefined {
  if (validator === undefined || !isCharged(validator)) return undefined;
  return { subnetId: validator.subnetId, isDelegator: false, weight: validator.weight };
}

function add(view: View, member: Member, sign: 1n | -1n, day: number): void {
  for (const scope of scopesOf(member)) {
    const before = view.get(stakingScopes, { scope }) ?? NO_STAKERS;
    const weight = sign * member.weight;
    const total = member.isDelegator
      ? { ...before, delegators: before.delegators + sign, delegatorWeight: before.delegatorWeight + weight }
      : { ...before, validators: before.validators + sign, validatorWeight: before.validatorWeight + weight };
    view.put(stakingScopes, { scope }, total);
    view.writeUnread(stakingDays, { scope, day }, total);
  }
}
