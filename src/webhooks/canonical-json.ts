/**
 * JSON as receivers hash it to check a signature (RFC 8785): members in the order of their names, no blanks. Integers beyond 2^53 are texts: a
 * receiver would round them, and then hash another number.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "bigint") return isExact(value) ? value.toString() : `"${value}"`;
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}

function isExact(value: bigint): boolean {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER);
}
