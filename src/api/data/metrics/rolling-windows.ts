/** The windows of metrics, as the official SDKs know them, in whole hours up to that of the newest block. */
import Type from "typebox";
import { DAY, DAY_SECONDS, HOUR, HOUR_SECONDS, intervalStart, MONTH } from "../../../base/time/intervals.ts";
import { metricValue } from "./metric-schemas.ts";

/** Hours of each window. */
export const WINDOWS = { lastHour: 1, lastDay: 24, lastWeek: 7 * 24, lastMonth: 30 * 24, last90Days: 90 * 24, lastYear: 365 * 24 } as const;
export type Window = keyof typeof WINDOWS;

const windowValue = Type.Optional(metricValue);
/** Members of an answer that has a number for each window, and one of all time. */
export const windowMembers = {
  ...(Object.fromEntries(Object.keys(WINDOWS).map((window) => [window, windowValue])) as Record<Window, typeof windowValue>),
  allTime: windowValue,
};

/** Intervals of one length that follow each other: where the first and the last one begin, in Unix seconds; empty if the last one is before. */
export interface IntervalRun {
  /** number in `INTERVALS` */
  readonly interval: number;
  readonly first: number;
  readonly last: number;
}

/** Hours and whole days that together are a window. @param newest where its last hour begins */
export function runsOfWindow(window: Window, newest: number): readonly IntervalRun[] {
  const first = Math.max(0, newest - (WINDOWS[window] - 1) * HOUR_SECONDS);
  const isShort = WINDOWS[window] <= WINDOWS.lastWeek;
  const day = intervalStart(DAY, first);
  const firstWholeDay = isShort ? newest + 1 : day === first ? day : day + DAY_SECONDS;
  return [
    { interval: HOUR, first, last: firstWholeDay - 1 },
    { interval: DAY, first: firstWholeDay, last: newest },
  ];
}

/** All months up to now. */
export function runOfAll(newest: number): IntervalRun {
  return { interval: MONTH, first: 0, last: newest };
}
