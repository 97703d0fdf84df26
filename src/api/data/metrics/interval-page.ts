/** Pages of intervals: one after the other without gaps, newest first. */
import { intervalBefore, intervalStart } from "../../../base/time/intervals.ts";

/** Unix seconds: where an interval begins. */
export type Start = number;

/** Bounds in Unix seconds. */
export interface IntervalRange {
  /** number in `INTERVALS` */
  readonly interval: number;
  readonly startTimestamp?: number | undefined;
  /** excluded */
  readonly endTimestamp?: number | undefined;
  /** the last of the page before */
  readonly after?: Start | undefined;
  readonly pageSize: number;
}

export interface IntervalPage {
  readonly starts: readonly Start[];
  /** undefined: there are no older ones */
  readonly next: Start | undefined;
}

/** @param bounds the oldest and the newest interval that have a value; undefined: none has */
export function intervalPage(range: IntervalRange, bounds: { readonly oldest: Start; readonly newest: Start } | undefined): IntervalPage {
  const { interval, pageSize, startTimestamp = 0 } = range;
  const starts: Start[] = [];
  let at = bounds && newestOf(range, bounds.newest);
  const oldest = bounds === undefined ? Number.POSITIVE_INFINITY : Math.max(bounds.oldest, startTimestamp);
  while (at !== undefined && at >= oldest && starts.length < pageSize) {
    starts.push(at);
    at = intervalBefore(interval, at);
  }
  return { starts, next: at !== undefined && at >= oldest ? starts.at(-1) : undefined };
}

function newestOf({ interval, endTimestamp, after }: IntervalRange, tip: Start): Start | undefined {
  if (endTimestamp === 0) return undefined;
  const newest = endTimestamp === undefined ? tip : Math.min(tip, intervalStart(interval, endTimestamp - 1));
  return after === undefined ? newest : intervalBefore(interval, Math.min(after, newest + 1));
}
