/** Counts of stakers and transactions, held against the state after every block of the recordings, and against all transactions. */
import { expect, test } from "vitest";
import { Priority } from "../../../../src/chains/platform/state/staker.ts";
import { isActiveL1Validator } from "../../../../src/chains/platform/state/staker-set.ts";
import { platformL1Validators, platformStakers } from "../../../../src/chains/platform/tables.ts";
import { l1ValidatorScope } from "../../../../src/index/primary/l1s/l1-scope.ts";
import { activityProjection } from "../../../../src/index/primary/metrics/activity-projection.ts";
import {
  primaryActivity,
  type StakingTotal,
  stakingDays,
  stakingScopes,
} from "../../../../src/index/primary/metrics/primary-metric-tables.ts";
import { NO_STAKERS, stakingMetrics } from "../../../../src/index/primary/metrics/staking-metrics.ts";
import type { Projection } from "../../../../src/index/primary/projection.ts";
import { type NodeReplay, replayNode } from "../../../conformance/node-replay.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";
import { drawn } from "../../../share.ts";

const DELEGATORS: ReadonlySet<number> = new Set([Priority.primaryDelegatorCurrent, Priority.elasticDelegatorCurrent]);

/** Stakers of the state by scope: of each subnet, and of all. */
function stakersOf({ chains }: NodeReplay): Map<string, StakingTotal> {
  const totals = new Map<string, StakingTotal>();
  const add = (subnetId: string, weight: bigint, isDelegator: boolean) => {
    for (const scope of [l1ValidatorScope({}), l1ValidatorScope({ subnetId })]) {
      const { validators, validatorWeight, delegators, delegatorWeight } = totals.get(scope) ?? NO_STAKERS;
      const [validator, delegator] = isDelegator ? [0n, 1n] : [1n, 0n];
      totals.set(scope, {
        ...{ validators: validators + validator, validatorWeight: validatorWeight + validator * weight },
        ...{ delegators: delegators + delegator, delegatorWeight: delegatorWeight + delegator * weight },
      });
    }
  };
  for (const { value } of chains.view.rows(platformStakers)) {
    if (value.isCurrent) add(value.subnetId, value.weight, DELEGATORS.has(value.priority));
  }
  for (const { value } of chains.view.rows(platformL1Validators)) if (isActiveL1Validator(value)) add(value.subnetId, value.weight, false);
  return totals;
}

/** Where hours, days, weeks and months begin, by a calendar. Unix seconds. */
function startsOf(seconds: bigint): bigint[] {
  const date = new Date(Number(seconds) * 1000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return [
    Date.UTC(year, month, day, date.getUTCHours()),
    Date.UTC(year, month, day),
    Date.UTC(year, month, day - sinceMonday),
    Date.UTC(year, month),
  ].map((time) => BigInt(time / 1000));
}

test.each(drawn("metrics of networks", ["latest-1", "eras-1", "p-eras-old", "x-dag"] as const, 1))(
  "stakers of %s are those of the state after every block, and every transaction is counted once in each interval",
  async (name) => {
    const counted = new Map<string, bigint>();
    const noted: Projection = {
      residentTables: [],
      async fetch() {},
      project(_view, _item, txs) {
        for (const { chain, timestamp } of txs) {
          for (const [interval, start] of startsOf(timestamp).entries()) {
            const at = `${chain} ${interval} ${start}`;
            counted.set(at, (counted.get(at) ?? 0n) + 1n);
          }
        }
      },
    };
    const days = new Map<string, StakingTotal>();
    let last: NodeReplay | undefined;
    for await (const replay of replayNode(recordingFolder(name), { projections: [noted, activityProjection, stakingMetrics] })) {
      last = replay;
      const totals = stakersOf(replay);
      const kept = new Map([...replay.rows.all(stakingScopes)].map(({ key, value }) => [key.scope, value]));
      for (const [scope, total] of kept) expect(total).toEqual(totals.get(scope) ?? NO_STAKERS);
      expect([...totals.keys()].filter((scope) => !kept.has(scope))).toEqual([]);
      const day = Number(replay.chains.platform.state.scalars.timestamp / 86_400n);
      for (const [scope, total] of kept) days.set(`${scope} ${day}`, total);
    }
    const { rows } = last!;
    // a day without a change has no row
    const changed = [...rows.all(stakingDays)].map(({ key, value }) => [`${key.scope} ${key.day}`, value] as const);
    expect(changed.length).toBeGreaterThan(0);
    for (const [at, total] of changed) expect(total).toEqual(days.get(at));
    const activity = [...rows.all(primaryActivity)].filter(({ value }) => value.transactions > 0n);
    const inRows = activity.map(({ key, value }) => [`${key.chain} ${key.interval} ${key.start}`, value.transactions] as const);
    expect(new Map(inRows)).toEqual(counted);
    expect(counted.size).toBeGreaterThan(8);
  },
);
