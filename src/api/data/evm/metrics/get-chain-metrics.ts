import Type from "typebox";
import { INTERVALS, type Interval } from "../../../../base/time/intervals.ts";
import { countedFromBlock, LONGEST_PAGE, metricChains, metricNames, metricPoint, timeIntervalQuery } from "../../metrics/metric-schemas.ts";
import { pageOf, pageQuery, timeQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { CHAIN_METRICS } from "./metric-values.ts";
import { firstCounted, metricPage } from "./read-metrics.ts";

export const getEvmChainMetrics = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/metrics/{metric}",
  version: 2,
  operationId: "getEvmChainMetrics",
  tag: "EVM: metrics",
  summary: "A metric of an EVM chain by hour, day, week or month, newest first.",
  description: `Intervals are in UTC; weeks begin on Mondays. The newest one grows with each block; intervals without a block have a value, too.

| metric | counts |
|---|---|
| \`txCount\`, \`gasUsed\`, \`feesPaid\` | transactions, their gas, gas × effective price |
| \`activeAddresses\`, \`activeSenders\` | distinct addresses in "from" or "to", or in "from", of a transaction or of a token's transfer |
| \`contracts\`, \`deployers\` | contracts that were created, and distinct accounts and contracts that created them. Without call traces, only those of transactions that create |
| \`cumulative…\` | the same since the chain's first block, up to the end of the interval |
| \`avgTps\`, \`avgGps\` | transactions and gas, divided by the seconds from the last block before the interval to its last one |
| \`maxTps\`, \`maxGps\` | the highest of a block: its transactions or gas, divided by the seconds since the block before. Blocks of the same moment count as a second apart |
| \`avgGasPrice\`, \`maxGasPrice\` | effective prices of transactions |

The genesis is not counted. The hosted service has metrics that begin with \`cumulative\`, \`avg\` or \`max\` by day only. For several chains, values are added up, except the highest and average prices; an address that is active on two chains counts twice.`,
  cost: "O(pageSize + months of history) rows for each chain",
  computeUnits: 20,
  evm: "all",
  isOfState: true,
  params: Type.Object({ chainId: metricChains, metric: metricNames(CHAIN_METRICS) }),
  query: Type.Object({
    ...timeQuery,
    ...timeIntervalQuery,
    ...pageQuery(LONGEST_PAGE, 100),
  }),
  response: pageOf({ results: Type.Array(metricPoint), countedFromBlock }, "MetricsApiResponse"),
  async handle({ params: { metric }, query: { pageSize, startTimestamp, endTimestamp, timeInterval } }, context) {
    const reading = { reader: context.reader, chains: context.evmChains };
    const interval = INTERVALS.indexOf(timeInterval as Interval);
    const after = context.after && Number(context.after.start);
    const { points, next } = await metricPage(metric, { interval, startTimestamp, endTimestamp, after, pageSize }, reading);
    return {
      results: [...points],
      ...(await firstCounted(reading)),
      ...context.nextPage(next === undefined ? undefined : { start: BigInt(next) }),
    };
  },
});
