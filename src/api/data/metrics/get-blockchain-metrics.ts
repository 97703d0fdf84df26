import Type from "typebox";
import { INTERVALS } from "../../../base/time/intervals.ts";
import { primaryActivity } from "../../../index/primary/metrics/primary-metric-tables.ts";
import { primaryChains } from "../../../index/primary/primary-chain.ts";
import { pageQuery, timeQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { intervalPage } from "./interval-page.ts";
import { LONGEST_PAGE, metricNames, primaryMetrics, timeIntervalQuery } from "./metric-schemas.ts";

export const getBlockchainMetrics = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/metrics/{metric}",
  version: 2,
  operationId: "getPrimaryNetworkChainMetrics",
  tag: "Primary network: metrics",
  summary: "Transactions of the P- or X-chain, or imports and exports of the C-chain, by hour, day, week or month, newest first.",
  description:
    "Intervals are in UTC; weeks begin on Mondays. The newest one grows with each block; intervals without a block have a value, too. Counted is what the list of transactions has: also those of the genesis, and those that were proposed again twice. The hosted service has no such route.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  chains: primaryChains,
  params: Type.Object({ metric: metricNames(["txCount"]) }),
  query: Type.Object({ ...timeQuery, ...timeIntervalQuery, ...pageQuery(LONGEST_PAGE, 100) }),
  response: primaryMetrics,
  async handle({ query }, context) {
    const { reader, chain, after } = context;
    const interval = INTERVALS.indexOf(query.timeInterval as (typeof INTERVALS)[number]);
    const prefix = { chain, interval };
    const ends = await Promise.all([false, true].map((reverse) => reader.scan(primaryActivity, { prefix, reverse, limit: 1 })));
    const [oldest, newest] = ends.flat().map(({ key }) => Number(key.start));
    const bounds = oldest === undefined || newest === undefined ? undefined : { oldest, newest };
    const { starts, next } = intervalPage({ ...query, interval, after: after && Number(after.start) }, bounds);
    const [first, last] = [starts.at(-1), starts[0]];
    if (first === undefined || last === undefined) return { results: [] };
    const range = { from: { start: BigInt(first) }, until: { start: BigInt(last + 1) }, limit: starts.length };
    const rows = await reader.scan(primaryActivity, { prefix, ...range });
    const counts = new Map(rows.map(({ key, value }) => [Number(key.start), value.transactions]));
    const results = starts.map((start) => ({ value: counts.get(start) ?? 0n, timestamp: start }));
    return { results, ...context.nextPage(next === undefined ? undefined : { start: BigInt(next) }) };
  },
});
