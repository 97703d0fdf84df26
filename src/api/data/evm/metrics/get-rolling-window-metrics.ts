import Type from "typebox";
import { HOUR } from "../../../../base/time/intervals.ts";
import { evmMetrics } from "../../../../evm/index/metric-tables.ts";
import type { StoreReader } from "../../../../store/store.ts";
import { countedFromBlock, type MetricValue, metricChains, metricNames } from "../../metrics/metric-schemas.ts";
import { type IntervalRun, runOfAll, runsOfWindow, WINDOWS, type Window, windowMembers } from "../../metrics/rolling-windows.ts";
import { namedObject } from "../../named-object.ts";
import { dataRoute } from "../../route.ts";
import type { EvmChain } from "../evm-chain.ts";
import { CHAIN_METRICS, type ChainMetric, type MetricRow, sumOf, valueIn } from "./metric-values.ts";
import { firstCounted, rowsBetween } from "./read-metrics.ts";

const METRICS = CHAIN_METRICS.filter((metric) => !metric.startsWith("cumulative"));

export const getRollingWindowMetrics = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/rollingWindowMetrics/{metric}",
  version: 2,
  operationId: "getEvmChainRollingWindowMetrics",
  tag: "EVM: metrics",
  summary: "A metric of an EVM chain in the last hour, day, week, month (30 days), 90 days and year, and in all.",
  description:
    "Windows are counted in whole hours up to that of the newest block, which is not over: the last hour is that one, the last day it and the 23 before. `activeAddresses` and `activeSenders` exist for the last hour, day and week only. The metrics are those of the route by interval.",
  cost: "O(1): at most 1,200 rows for each chain",
  computeUnits: 20,
  evm: "all",
  isOfState: true,
  params: Type.Object({ chainId: metricChains, metric: metricNames(METRICS) }),
  query: Type.Object({}),
  response: namedObject("RollingWindowMetricsApiResponse", {
    result: namedObject("ChainRollingWindowMetricsValue", {
      ...windowMembers,
    }),
    countedFromBlock,
  }),
  async handle({ params: { metric } }, { reader, evmChains: chains }) {
    const newest = await newestHour(chains, reader);
    const known = await firstCounted({ reader, chains });
    if (newest === undefined) return { result: {}, ...known };
    return { result: await valuesOf(metric, chains, newest, reader), ...known };
  },
});

async function newestHour(chains: readonly EvmChain[], reader: StoreReader): Promise<number | undefined> {
  const tips = await Promise.all(
    chains.map(({ chain }) => reader.scan(evmMetrics, { prefix: { chain, interval: HOUR }, reverse: true, limit: 1 })),
  );
  const starts = tips.flat().map(({ key }) => Number(key.start));
  return starts.length === 0 ? undefined : Math.max(...starts);
}

async function rowsOf(chain: number, runs: readonly IntervalRun[], reader: StoreReader): Promise<MetricRow[]> {
  const rows = await Promise.all(runs.map(({ interval, first, last }) => rowsBetween(chain, interval, first, last, { reader })));
  return rows.flatMap((ofRun) => [...ofRun.values()]);
}

/** Distinct addresses of several intervals are those whose newest activity is in one of them. */
const NEWEST = { activeAddresses: "lastAddresses", activeSenders: "lastSenders", deployers: "lastDeployers" } as const;

/** These are only known for a week. */
const SHORT: ReadonlySet<ChainMetric> = new Set(["activeAddresses", "activeSenders"]);

async function valuesOf(metric: ChainMetric, chains: readonly EvmChain[], newest: number, reader: StoreReader) {
  const windows = (Object.keys(WINDOWS) as Window[]).filter((window) => !SHORT.has(metric) || WINDOWS[window] <= WINDOWS.lastWeek);
  const last = NEWEST[metric as keyof typeof NEWEST];
  const values: [Window | "allTime", MetricValue][] = await Promise.all(
    windows.map(async (window): Promise<[Window, MetricValue]> => {
      const runs = runsOfWindow(window, newest);
      const rows = await Promise.all(chains.map(({ chain }) => rowsOf(chain, runs, reader)));
      return [window, last === undefined ? valueIn(metric, rows) : sumOf(rows.flat(), last)];
    }),
  );
  if (SHORT.has(metric)) return Object.fromEntries(values);
  const months = await Promise.all(chains.map(({ chain }) => rowsOf(chain, [runOfAll(newest)], reader)));
  const all = metric === "deployers" ? sumOf(months.flat(), "newDeployers") : valueIn(metric, months);
  return Object.fromEntries([...values, ["allTime", all]]);
}
