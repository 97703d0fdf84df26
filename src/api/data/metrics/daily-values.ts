/** Values that are written on the days when they change. */
import type { TableKey, TableValue } from "../../../base/table/table.ts";
import { DAY, DAY_SECONDS, dayOf } from "../../../base/time/intervals.ts";
import { platformChain } from "../../../chains/platform/tables.ts";
import type { accruedFeeDays, l1FeeDays, stakingDays } from "../../../index/primary/metrics/primary-metric-tables.ts";
import type { StoreReader } from "../../../store/store.ts";
import type { DataContext } from "../context.ts";
import { type IntervalPage, type IntervalRange, intervalPage } from "./interval-page.ts";

type DailyTable = typeof accruedFeeDays | typeof l1FeeDays | typeof stakingDays;

/** The key of rows without their day. */
type Prefix<T extends DailyTable> = Omit<TableKey<T>, "day">;

/** Rows of days, ascending. */
export class DailyValues<T> {
  readonly #rows: readonly { readonly day: number; readonly value: T }[];

  constructor(rows: readonly { readonly day: number; readonly value: T }[]) {
    this.#rows = rows;
  }

  /** The newest value on a day or before it; undefined: there is none. */
  on(day: number): { readonly day: number; readonly value: T } | undefined {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rows[middle]!.day <= day) low = middle + 1;
      else high = middle;
    }
    return this.#rows[low - 1];
  }
}

/** The values of days, both bounds included. Costs O(days). */
export async function readDaily<T extends DailyTable>(
  reader: StoreReader,
  table: T,
  prefix: Prefix<T>,
  { oldest, newest }: { readonly oldest: number; readonly newest: number },
): Promise<DailyValues<TableValue<T>>> {
  type Range = Parameters<typeof reader.scan<T>>[1];
  const [before, within] = await Promise.all([
    reader.scan(table, { prefix, after: { day: oldest }, reverse: true, limit: 1 } as Range),
    reader.scan(table, { prefix, from: { day: oldest }, until: { day: newest + 1 }, limit: newest + 1 - oldest } as Range),
  ]);
  const rows = [...before, ...within] as { readonly key: { readonly day: number }; readonly value: TableValue<T> }[];
  return new DailyValues(rows.map(({ key: { day }, value }) => ({ day, value })));
}

interface DailyPage {
  /** the days of the page, newest first */
  readonly days: readonly number[];
  readonly next: IntervalPage["next"];
}

/** A page of days from the first that has a row to that of the P-chain's last block. */
export async function dailyPage<T extends DailyTable>(
  context: DataContext,
  table: T,
  prefix: Prefix<T>,
  query: Pick<IntervalRange, "startTimestamp" | "endTimestamp" | "pageSize">,
): Promise<DailyPage> {
  type Range = Parameters<typeof context.reader.scan<T>>[1];
  const [[first], state] = await Promise.all([
    context.reader.scan(table, { prefix, limit: 1 } as Range),
    context.reader.get(platformChain, { slot: 0 }),
  ]);
  const newest = dayOf(state!.timestamp) * DAY_SECONDS;
  const bounds = first && { oldest: (first.key as { readonly day: number }).day * DAY_SECONDS, newest };
  const after = context.after && Number(context.after.start);
  const { starts, next } = intervalPage({ ...query, interval: DAY, after }, bounds);
  return { days: starts.map((start) => start / DAY_SECONDS), next };
}
