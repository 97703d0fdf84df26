/** Times and durations as the reference node's files write them. */
import { FirnError } from "../primitives/errors.ts";

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

/** A duration that is whole seconds, as all rules need it. */
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
