/** Reads rows of metrics: pages of intervals, without gaps, newest first. */
import { DAY, HOUR, intervalStart, MONTH } from "../../../../base/time/intervals.ts";
import { evmMetricRanges, evmMetrics } from "../../../../evm/index/metric-tables.ts";
import type { StoreReader } from "../../../../store/store.ts";
import { type IntervalRange, intervalPage, type Start } from "../../metrics/interval-page.ts";
import type { MetricValue } from "../../metrics/metric-schemas.ts";
import type { EvmChain } from "../evm-chain.ts";
import { type ChainMetric, CUMULATIVE, type MetricRow, sumOf, valueIn } from "./metric-values.ts";

export interface MetricReading {
  readonly reader: StoreReader;
  readonly chains: readonly EvmChain[];
}

export interface MetricPage {
  readonly points: readonly { readonly value: MetricValue; readonly timestamp: Start }[];
  /** undefined: there are no older ones */
  readonly next: Start | undefined;
}

/** Intervals between the first and the newest block have a value, also those without a block. */
export async function metricPage(metric: ChainMetric, range: IntervalRange, reading: MetricReading): Promise<MetricPage> {
  const { interval } = range;
  const { starts, next } = intervalPage(range, await boundsOf(interval, reading));
  const [newest, last] = [starts[0], starts.at(-1)];
  if (newest === undefined || last === undefined) return { points: [], next: undefined };
  const rows = await Promise.all(reading.chains.map(({ chain }) => rowsBetween(chain, interval, last, newest, reading)));
  const values = await valuesOf(metric, starts, rows, reading);
  const points = starts.map((timestamp, i) => ({ value: values[i]!, timestamp }));
  return { points, next };
}

async function boundsOf(interval: number, { reader, chains }: MetricReading): Promise<{ oldest: Start; newest: Start } | undefined> {
  const ends = await Promise.all(
    chains.flatMap(({ chain }) =>
      [false, true].map((reverse) => reader.scan(evmMetrics, { prefix: { chain, interval }, reverse, limit: 1 })),
    ),
  );
  const starts = ends.flat().map(({ key }) => Number(key.start));
  return starts.length === 0 ? undefined : { oldest: Math.min(...starts), newest: Math.max(...starts) };
}

/** The rows of a chain by their start, both bounds included. */
export async function rowsBetween(
  chain: number,
  interval: number,
  oldest: Start,
  newest: Start,
  { reader }: Pick<MetricReading, "reader">,
): Promise<ReadonlyMap<Start, MetricRow>> {
  const found = await reader.scan(evmMetrics, {
    prefix: { chain, interval },
    from: { start: BigInt(oldest) },
    until: { start: BigInt(newest + 1) },
    limit: MOST_ROWS,
  });
  return new Map(found.map(({ key, value }) => [Number(key.start), value]));
}

/** More than there are months, or hours of a page. */
const MOST_ROWS = 10_000;

async function valuesOf(
  metric: ChainMetric,
  starts: readonly Start[],
  rows: readonly ReadonlyMap<Start, MetricRow>[],
  reading: MetricReading,
): Promise<MetricValue[]> {
  const member = CUMULATIVE.get(metric);
  const at = (start: Start) => rows.map((ofChain) => [ofChain.get(start)].filter((row) => row !== undefined));
  if (member === undefined) return starts.map((start) => valueIn(metric, at(start)));
  const before = await Promise.all(reading.chains.map(({ chain }) => rowsBefore(chain, starts.at(-1)!, reading)));
  let sum = sumOf(before.flat(), member);
  return starts
    .toReversed()
    .map((start) => {
      sum += sumOf(at(start).flat(), member);
      return sum;
    })
    .toReversed();
}

/** Rows of months, days and hours that together have all before an interval. */
async function rowsBefore(chain: number, start: Start, reading: MetricReading): Promise<MetricRow[]> {
  const [month, day] = [intervalStart(MONTH, start), intervalStart(DAY, start)];
  const between = (interval: number, from: Start, until: Start) =>
    from === until ? new Map<Start, MetricRow>() : rowsBetween(chain, interval, from, until - 1, reading);
  const parts = await Promise.all([between(MONTH, 0, month), between(DAY, month, day), between(HOUR, day, start)]);
  return parts.flatMap((rows) => [...rows.values()]);
}

/** Height from which blocks are counted, if not all of them are. */
export async function firstCounted({ reader, chains }: MetricReading): Promise<{ countedFromBlock?: string }> {
  if (chains.length !== 1) return {};
  const [{ chain, settings }] = chains as readonly [EvmChain];
  const range = await reader.get(evmMetricRanges, { chain });
  return range === undefined || range.first <= settings.startBlock ? {} : { countedFromBlock: `${range.first}` };
}
