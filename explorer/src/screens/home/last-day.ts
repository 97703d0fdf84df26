/** Sums of the last day, by hour. */
export const HOURS = 24;
const HOUR = 3600;

interface Hour {
  readonly timestamp: number;
  readonly value: number;
}

/** The 24 hours up to the newest of any chain, each with the sum of all chains; oldest first. */
export function lastDay(chains: readonly (readonly Hour[])[]): number[] {
  const hours = chains.flat();
  const newest = Math.max(...hours.map(({ timestamp }) => timestamp));
  const sums: number[] = Array.from({ length: HOURS }, () => 0);
  for (const { timestamp, value } of hours) {
    const ago = (newest - timestamp) / HOUR;
    if (ago < HOURS) sums[HOURS - 1 - ago]! += value;
  }
  return sums;
}
