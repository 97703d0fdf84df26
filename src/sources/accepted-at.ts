const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const NANOSECONDS = 1_000_000_000n;

/** Parses a time in a recording, RFC 3339 with up to nine fraction digits or Unix seconds, to Unix nanoseconds. */
export function parseAcceptedAt(value: unknown): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value) * NANOSECONDS;
  const match = typeof value === "string" ? TIMESTAMP.exec(value) : null;
  if (match === null) throw new TypeError(`acceptedAt is ${JSON.stringify(value)}; it needs RFC 3339 or Unix seconds`);
  const [, seconds, fraction = "", zone] = match;
  return BigInt(Date.parse(`${seconds}${zone}`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
