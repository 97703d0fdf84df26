/** Parses and prints times and durations as the reference node's files and errors do. */
import { FirnError } from "../base/errors/errors.ts";

const UNIT_NANOSECONDS: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const PART = /(\d+)(?:\.(\d{1,9}))?(ns|us|µs|ms|s|m|h)/y;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})$/;

/** `1h0m0s` → nanoseconds. */
export function parseDuration(text: string): bigint {
  let nanoseconds = 0n;
  PART.lastIndex = 0;
  do {
    const match = PART.exec(text);
    if (match === null) throw new FirnError("duration", "not a duration", { text });
    const [, whole = "", fraction = "", unit = ""] = match;
    nanoseconds += (BigInt(whole + fraction) * UNIT_NANOSECONDS[unit]!) / 10n ** BigInt(fraction.length);
  } while (PART.lastIndex < text.length);
  return nanoseconds;
}

/** Nanoseconds, not negative → `1h0m0.5s`, `1.5ms`, as Go prints them. */
export function formatDuration(nanoseconds: bigint): string {
  const decimal = (unit: bigint) =>
    `${Number(nanoseconds / unit)}${`.${(nanoseconds % unit).toString().padStart(`${unit}`.length - 1, "0")}`.replace(/\.?0*$/, "")}`;
  if (nanoseconds === 0n) return "0s";
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${decimal(1_000n)}µs`;
  if (nanoseconds < 1_000_000_000n) return `${decimal(1_000_000n)}ms`;
  const minutes = nanoseconds / 60_000_000_000n;
  nanoseconds %= 60_000_000_000n;
  const hours = minutes / 60n;
  return `${hours > 0n ? `${hours}h` : ""}${minutes > 0n ? `${minutes % 60n}m` : ""}${decimal(1_000_000_000n)}s`;
}

/** Parses a duration, which must be in whole seconds because the rules require that. */
export function parseDurationSeconds(text: string): bigint {
  const nanoseconds = parseDuration(text);
  if (nanoseconds % 1_000_000_000n !== 0n) throw new FirnError("duration", "not whole seconds", { text });
  return nanoseconds / 1_000_000_000n;
}

/** `2020-12-05T05:00:00Z` → Unix seconds. */
export function parseTime(text: string): bigint {
  const milliseconds = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw new FirnError("time", "not a time", { text });
  return BigInt(milliseconds / 1000);
}

/** The time that a stranger names, in Unix seconds; undefined if it is none. */
export function timeIn(value: unknown): bigint | undefined {
  try {
    return typeof value === "string" ? parseTime(value) : undefined;
  } catch (error) {
    if (error instanceof FirnError) return undefined;
    throw error;
  }
}

/** Unix seconds → `2020-12-05T05:00:00Z`. */
export function formatTime(seconds: bigint): string {
  return new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z");
}

/**
 * Seconds from year 1 to 1970. The node counts seconds from year 1 in a signed 64-bit number, so times that overflow it count as the
 * earliest.
 */
const YEAR_1 = 62_135_596_800n;
/** Seconds from 1 March of year -292277022400 to 1970. For printing, the node counts from there in an unsigned number. */
const PRINTED_FROM = 9_223_372_028_741_760_000n;
const FIRST_PRINTED_YEAR = -292_277_022_400n;
const MARCH_2000_SECONDS = 951_868_800;
const SECONDS_OF_400_YEARS = 146_097n * 86_400n;

/** The Unix seconds with which the node compares a u64 time: values from shortly before 2^63 on are far in the past. */
export function goTime(seconds: bigint): bigint {
  return BigInt.asIntN(64, seconds + YEAR_1) - YEAR_1;
}

/** Go's `%s` of a UTC time in any year: `2021-06-01 00:00:00 +0000 UTC`. */
export function timeText(seconds: bigint): string {
  const printed = BigInt.asUintN(64, seconds + PRINTED_FROM);
  // the calendar repeats every 400 years, and JavaScript dates can print the 400 years from 2000 on
  const date = new Date((MARCH_2000_SECONDS + Number(printed % SECONDS_OF_400_YEARS)) * 1000);
  const year = FIRST_PRINTED_YEAR + (printed / SECONDS_OF_400_YEARS) * 400n + BigInt(date.getUTCFullYear() - 2000);
  const yearText = `${year < 0n ? "-" : ""}${`${year < 0n ? -year : year}`.padStart(4, "0")}`;
  return `${yearText}${date.toISOString().slice(4, 19).replace("T", " ")} +0000 UTC`;
}
