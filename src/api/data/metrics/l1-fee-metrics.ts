/** Routes of what L1 validators paid: all of them, those of an L1, those of a node, and one validation. */
import Type from "typebox";
import type { ShortId } from "../../../base/bytes/id.ts";
import { DAY_SECONDS } from "../../../base/time/intervals.ts";
import { l1ValidatorScope, validationScope } from "../../../index/primary/l1s/l1-scope.ts";
import { feesAt, payersOn } from "../../../index/primary/metrics/l1-fee-metrics.ts";
import { accruedFeeDays, l1FeeDays } from "../../../index/primary/metrics/primary-metric-tables.ts";
import type { DataContext } from "../context.ts";
import { cb58Id, parseIdParam, parseNodeIdParam } from "../ids.ts";
import { pageQuery, timeQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { dailyPage, readDaily } from "./daily-values.ts";
import { LONGEST_PAGE, metricNames, primaryMetrics } from "./metric-schemas.ts";

/** Each metric, and which number of a day it is. */
const DAILY = {
  totalCumulativeFeesDaily: "cumulativeFees",
  totalValidatorFeesDaily: "fees",
  totalPayingValidatorsDaily: "payers",
  perSubnetDailyFeesPaid: "fees",
  perSubnetCumulativeFeesPaid: "cumulativeFees",
  perSubnetPayingValidators: "payers",
  perNodeCumulativeFeesPaid: "cumulativeFees",
  perNodeDailyFeesPaid: "fees",
  validationCumulativeFeesDaily: "cumulativeFees",
  validationFeesDaily: "fees",
} as const;
type FeeMetric = keyof typeof DAILY;

const query = Type.Object({ ...timeQuery, ...pageQuery(LONGEST_PAGE, LONGEST_PAGE) });

/** The part that the routes share. */
const common = {
  method: "GET",
  version: 2,
  tag: "Primary network: metrics",
  description:
    "The continuous fee of active L1 validators (ACP-77), in nAVAX. Fees count for the day of the block that charged them; cumulative ones are those since the first block, up to the day's last. The newest day grows with each block. A validator that ran out paid what it had. Before the first fee there are no values.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  query,
  response: primaryMetrics,
} as const;

export const getTotalL1ValidatorMetrics = dataRoute({
  ...common,
  path: "/validators/metrics/{metric}",
  operationId: "getTotalL1ValidatorMetrics",
  summary: "Fees that all L1 validators paid, by day, and how many paid, newest first.",
  params: Type.Object({ metric: metricNames(["totalCumulativeFeesDaily", "totalValidatorFeesDaily", "totalPayingValidatorsDaily"]) }),
  handle: ({ params: { metric }, query }, context) => feePage(metric as FeeMetric, l1ValidatorScope({}), query, context),
});

export const getMetricsBySubnetId = dataRoute({
  ...common,
  path: "/subnet/{subnetId}/metrics/{metric}",
  operationId: "getMetricsBySubnetId",
  summary: "Fees that the validators of an L1 paid, by day, and how many paid, newest first.",
  params: Type.Object({
    subnetId: cb58Id("ID of the L1's subnet"),
    metric: metricNames(["perSubnetDailyFeesPaid", "perSubnetCumulativeFeesPaid", "perSubnetPayingValidators"]),
  }),
  handle: ({ params: { subnetId, metric }, query }, context) =>
    feePage(metric as FeeMetric, l1ValidatorScope({ subnetId: parseIdParam("subnetId", subnetId) }), query, context),
});

export const getMetricsByNodeId = dataRoute({
  ...common,
  path: "/validator/{nodeId}/metrics/{metric}",
  operationId: "getMetricsByNodeId",
  summary: "Fees that a node's validations of L1s paid, by day, newest first.",
  params: Type.Object({
    nodeId: Type.String({ description: "`NodeID-…`" }),
    metric: metricNames(["perNodeCumulativeFeesPaid", "perNodeDailyFeesPaid"]),
  }),
  handle: ({ params: { nodeId, metric }, query }, context) =>
    feePage(metric as FeeMetric, l1ValidatorScope({ nodeId: parseNodeIdParam("nodeId", nodeId) }), query, context),
});

export const getMetricsByValidationId = dataRoute({
  ...common,
  path: "/validation/{l1ValidationId}/metrics/{metric}",
  operationId: "getMetricsByValidationId",
  summary: "Fees that one validation of an L1 paid, by day, newest first.",
  params: Type.Object({
    l1ValidationId: cb58Id("ID of the validation"),
    metric: metricNames(["validationCumulativeFeesDaily", "validationFeesDaily"]),
  }),
  handle: ({ params: { l1ValidationId, metric }, query }, context) =>
    feePage(metric as FeeMetric, validationScope(parseIdParam("l1ValidationId", l1ValidationId)), query, context),
});

async function feePage(metric: FeeMetric, scope: ShortId, query: Parameters<typeof dailyPage>[3], context: DataContext) {
  const { days, next } = await dailyPage(context, l1FeeDays, { scope }, query);
  const [newest, oldest] = [days[0], days.at(-1)];
  if (newest === undefined || oldest === undefined) return { results: [] };
  // the day before, too: a day's fees are a difference
  const range = { oldest: Math.max(0, oldest - 1), newest };
  const [accrued, totals] = await Promise.all([
    readDaily(context.reader, accruedFeeDays, {}, range),
    readDaily(context.reader, l1FeeDays, { scope }, range),
  ]);
  const until = (day: number) => {
    const [total, reached] = [totals.on(day), accrued.on(day)];
    return total === undefined || reached === undefined ? 0n : feesAt(reached.value.accruedFees, total.value);
  };
  const payers = (day: number) => {
    const { day: changed, value } = totals.on(day)!;
    return payersOn(day, { ...value, day: changed });
  };
  const value = { cumulativeFees: until, fees: (day: number) => until(day) - until(day - 1), payers }[DAILY[metric]];
  const results = days.map((day) => ({ value: value(day), timestamp: day * DAY_SECONDS }));
  return { results, ...context.nextPage(next === undefined ? undefined : { start: BigInt(next) }) };
}
