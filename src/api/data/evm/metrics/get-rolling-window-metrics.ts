import Type from "typebox";
import { DAY, DAY_SECONDS, HOUR, HOUR_SECONDS, intervalStart, MONTH } from "../../../../evm/index/metric-intervals.ts";
import { evmMetrics } from "../../../../evm/index/metric-tables.ts";
import type { StoreReader } from "../../../../store/store.ts";
import { namedObject } from "../../named-object.ts";
import { dataRoute } from "../../route.ts";
import type { EvmChain } from "../evm-chain.ts";
import { countedFromBlock, metricChains, metricNames, metricValue } from "./metric-schemas.ts";
import { CHAIN_METRICS, type ChainMetric, type MetricRow, type MetricValue, sumOf, valueIn } from "./metric-values.ts";
import { firstCounted } from "./read-metrics.ts";

const METRICS = CHAIN_METRICS.filter((metric) => !metric.startsWith("cumulative"));

/** Hours of each window. */
const WINDOWS = { lastHour: 1, lastDay: 24, lastWeek: 7 * 24, lastMonth: 30 * 24, last90Days: 90 * 24, lastYear: 365 * 24 } as const;
type Window = keyof typeof WINDOWS;

const windowValue = Type.Optional(metricValue);

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
      lastHour: windowValue,
      lastDay: windowValue,
      lastWeek: windowValue,
      lastMonth: windowValue,
      last90Days: windowValue,
      lastYear: windowValue,
      allTime: windowValue,
    }),
    countedFromBlock,
  }),
  async handle({ params: { metric } }, { reader, evmChains: chains }) {
    const newest = await newestHour(chains, reader);
    const known = await firstCounted({ reader, chains });
    if (newest === undefined) return { result: {}, ...known };
    const rows = await Promise.all(chains.map(({ chain }) => WindowRows.read(chain, newest, reader)));
    return { result: valuesOf(metric, rows), ...known };
  },
});

async function newestHour(chains: readonly EvmChain[], reader: StoreReader): Promise<number | undefined> {
  const tips = await Promise.all(
    chains.map(({ chain }) => reader.scan(evmMetrics, { prefix: { chain, interval: HOUR }, reverse: true, limit: 1 })),
  );
  const starts = tips.flat().map(({ key }) => Number(key.start));
  return starts.length === 0 ? undefined : Math.max(...starts);
}

/** Rows of a chain that make up each window: of hours, and of days where these are whole. */
class WindowRows {
  readonly #newest: number;
  readonly #hours: ReadonlyMap<number, MetricRow>;
  readonly #days: ReadonlyMap<number, MetricRow>;
  readonly all: readonly MetricRow[];

  private constructor(
    newest: number,
    hours: ReadonlyMap<number, MetricRow>,
    days: ReadonlyMap<number, MetricRow>,
    all: readonly MetricRow[],
  ) {
    this.#newest = newest;
    this.#hours = hours;
    this.#days = days;
    this.all = all;
  }

  static async read(chain: number, newest: number, reader: StoreReader): Promise<WindowRows> {
    const scan = async (interval: number, from: number, until: number) => {
      const range = { prefix: { chain, interval }, from: { start: BigInt(from) }, until: { start: BigInt(until) }, limit: 1000 };
      return (await reader.scan(evmMetrics, range)).map(({ key, value }): [number, MetricRow] => [Number(key.start), value]);
    };
    const after = newest + HOUR_SECONDS;
    const firstDays = Object.values(WINDOWS).map((hours) => {
      const first = firstHour(newest, hours);
      return scan(HOUR, first, intervalStart(DAY, first) + DAY_SECONDS);
    });
    const [week, year, months, ...parts] = await Promise.all([
      scan(HOUR, firstHour(newest, WINDOWS.lastWeek), after),
      scan(DAY, intervalStart(DAY, firstHour(newest, WINDOWS.lastYear)), after),
      scan(MONTH, 0, after),
      ...firstDays,
    ]);
    return new WindowRows(
      newest,
      new Map([...week!, ...parts.flat()]),
      new Map(year),
      months!.map(([, row]) => row),
    );
  }

  hoursOf(window: Window): MetricRow[] {
    return this.#between(this.#hours, firstHour(this.#newest, WINDOWS[window]), this.#newest + 1);
  }

  /** For windows of any length. */
  of(window: Window): MetricRow[] {
    if (WINDOWS[window] <= WINDOWS.lastWeek) return this.hoursOf(window);
    const first = firstHour(this.#newest, WINDOWS[window]);
    const day = intervalStart(DAY, first);
    const firstWhole = day === first ? day : day + DAY_SECONDS;
    return [...this.#between(this.#hours, first, firstWhole), ...this.#between(this.#days, firstWhole, this.#newest + 1)];
  }

  #between(rows: ReadonlyMap<number, MetricRow>, from: number, until: number): MetricRow[] {
    return [...rows].flatMap(([start, row]) => (start >= from && start < until ? [row] : []));
  }
}

/** Where the first of the last hours begins; not before 1970. */
function firstHour(newest: number, hours: number): number {
  return Math.max(0, newest - (hours - 1) * HOUR_SECONDS);
}

/** Distinct addresses of several intervals are those whose newest activity is in one of them. */
const NEWEST = { activeAddresses: "lastAddresses", activeSenders: "lastSenders", deployers: "lastDeployers" } as const;

function valuesOf(metric: ChainMetric, chains: readonly WindowRows[]): Partial<Record<Window | "allTime", MetricValue>> {
  const values: Partial<Record<Window | "allTime", MetricValue>> = {};
  const newest = NEWEST[metric as keyof typeof NEWEST];
  const isShort = newest !== undefined && newest !== "lastDeployers";
  for (const window of Object.keys(WINDOWS) as Window[]) {
    if (isShort && WINDOWS[window] > WINDOWS.lastWeek) continue;
    const rows = chains.map((chain) => chain.of(window));
    values[window] = newest === undefined ? valueIn(metric, rows) : sumOf(rows.flat(), newest);
  }
  const all = chains.map((chain) => chain.all);
  if (!isShort) values.allTime = metric === "deployers" ? sumOf(all.flat(), "newDeployers") : valueIn(metric, all);
  return values;
}
