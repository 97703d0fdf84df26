/** Times as the reference node prints them in error messages. */

/** Go's `%s` of a UTC time: `2021-06-01 00:00:00 +0000 UTC`. */
export function timeText(seconds: bigint): string {
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace("T", " ")} +0000 UTC`;
}
