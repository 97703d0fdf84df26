import Type from "typebox";
import { DAY_SECONDS } from "../../../base/time/intervals.ts";
import { l1ValidatorScope } from "../../../index/primary/l1s/l1-scope.ts";
import { stakingDays } from "../../../index/primary/metrics/primary-metric-tables.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { pageQuery, timeQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { dailyPage, readDaily } from "./daily-values.ts";
import { LONGEST_PAGE, metricNames, primaryMetrics } from "./metric-schemas.ts";

const MEMBERS = {
  delegatorCount: "delegators",
  delegatorWeight: "delegatorWeight",
  validatorCount: "validators",
  validatorWeight: "validatorWeight",
} as const;
type StakingMetric = keyof typeof MEMBERS;

export const getStakingMetrics = dataRoute({
  method: "GET",
  path: "/networks/{network}/metrics/{metric}",
  version: 2,
  operationId: "getStakingMetrics",
  tag: "Primary network: metrics",
  summary: "Validators or delegators of a subnet, or of all, and their weight, by day, newest first.",
  description:
    "A day's value is that after its last block; the newest day grows with each block. Counted are stakers whose period has begun, and L1 validators that are active. Weights are in nAVAX, or in the subnet's own unit; without `subnetId` they are added up as they are.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  params: Type.Object({ metric: metricNames(Object.keys(MEMBERS) as StakingMetric[]) }),
  query: Type.Object({
    ...timeQuery,
    ...pageQuery(LONGEST_PAGE, 100),
    subnetId: Type.Optional(cb58Id("Only this subnet; 11111111111111111111111111111111LpoYY is the primary network")),
  }),
  response: primaryMetrics,
  async handle({ params: { metric }, query }, context) {
    const scope = l1ValidatorScope(query.subnetId === undefined ? {} : { subnetId: parseIdParam("subnetId", query.subnetId) });
    const { days, next } = await dailyPage(context, stakingDays, { scope }, query);
    const [newest, oldest] = [days[0], days.at(-1)];
    if (newest === undefined || oldest === undefined) return { results: [] };
    const totals = await readDaily(context.reader, stakingDays, { scope }, { oldest, newest });
    const member = MEMBERS[metric as StakingMetric];
    const results = days.map((day) => ({ value: totals.on(day)!.value[member], timestamp: day * DAY_SECONDS }));
    return { results, ...context.nextPage(next === undefined ? undefined : { start: BigInt(next) }) };
  },
});
