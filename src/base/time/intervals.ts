/** Intervals of metrics, as the official SDKs know them: they begin at 0:00 UTC of a day, on Mondays, and on the first of a month. */

export const INTERVALS = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** Numbers of the intervals in keys. */
export const [HOUR, DAY, WEEK, MONTH] = [0, 1, 2, 3] as const;

export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;
/** 1970 began on a Thursday */
const FIRST_MONDAY = 4 * DAY_SECONDS;

/** The end of the year 9999: a node can say any time, and a calendar ends. */
export const LATEST_SECONDS = 253_402_300_799n;

/** A block's time for counting, in Unix seconds. */
export function countedSeconds(timestamp: bigint): number {
  return Number(timestamp < LATEST_SECONDS ? timestamp : LATEST_SECONDS);
}

/** The hour of a block's time, since 1970. */
export function hourOf(timestamp: bigint): number {
  return Math.floor(countedSeconds(timestamp) / HOUR_SECONDS);
}

/** Where the interval begins that has this time. Unix seconds; not before 1970. */
export function intervalStart(interval: number, seconds: number): number {
  if (interval === HOUR) return seconds - (seconds % HOUR_SECONDS);
  if (interval === DAY) return seconds - (seconds % DAY_SECONDS);
  if (interval === WEEK) return seconds < FIRST_MONDAY ? 0 : seconds - ((seconds - FIRST_MONDAY) % WEEK_SECONDS);
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
}

/** Where the interval before the one that begins at `start` begins; undefined: there is none since 1970. */
export function intervalBefore(interval: number, start: number): number | undefined {
  return start === 0 ? undefined : intervalStart(interval, start - 1);
}

/** The day of a block's time, since 1970. */
export function dayOf(timestamp: bigint): number {
  return Math.floor(countedSeconds(timestamp) / DAY_SECONDS);
}
