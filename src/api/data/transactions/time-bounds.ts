/** Bounds of a list by time between two times, in the direction of the page. */

/** Bounds of a scan over keys that begin with `timestamp`. */
export interface TimeBounds {
  readonly from?: { readonly timestamp: bigint };
  readonly until?: { readonly timestamp: bigint };
}

/**
 * @param start Unix seconds, included
 * @param end Unix seconds, excluded
 * @returns undefined if the range is empty
 */
export function timeBounds(start: number | undefined, end: number | undefined, { reverse }: { reverse: boolean }): TimeBounds | undefined {
  if (end !== undefined && end <= (start ?? 0)) return undefined;
  const before = (time: number) => ({ timestamp: BigInt(time) - 1n });
  const at = (time: number) => ({ timestamp: BigInt(time) });
  if (reverse)
    return { ...(end !== undefined && { from: before(end) }), ...(start !== undefined && start > 0 && { until: before(start) }) };
  return { ...(start !== undefined && { from: at(start) }), ...(end !== undefined && { until: at(end) }) };
}
