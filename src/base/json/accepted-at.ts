/** Unix nanoseconds as the node prints them, in UTC: RFC 3339 with up to nine fraction digits, without trailing zeros. */
export function formatAcceptedAt(nanoseconds: bigint): string {
  const seconds = new Date(Number(nanoseconds / 1_000_000_000n) * 1000).toISOString().slice(0, -".000Z".length);
  const fraction = `${nanoseconds % 1_000_000_000n}`.padStart(9, "0").replace(/0+$/, "");
  return fraction === "" ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}
