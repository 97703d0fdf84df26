/** At which times or heights a balance is read for a chart: few, whatever has happened to it. */

/** Points of a chart, the present one included. */
export const MOST_POINTS = 24;

/**
 * Whole numbers from the first to just before the last, evenly spread, without repetition.
 * @param count at most so many
 */
export function evenly(first: number, last: number, count: number): number[] {
  const points = Array.from({ length: count }, (_, i) => Math.floor(first + ((last - first) * i) / count));
  return [...new Set(points)].filter((point) => point < last);
}

/**
 * Where a balance is read, besides now. If there are few changes, before the first and right after each, so that the chart shows all of them.
 * @param changes the first ones, in rising order
 * @param isAll whether there are no others
 * @param now exclusive
 */
export function pointsOf(
  changes: readonly number[],
  isAll: boolean,
  now: number,
): { readonly at: readonly number[]; readonly isExact: boolean } {
  const around = [...new Set([...changes.slice(0, 1), ...changes.map((change) => change + 1)])].filter((point) => point < now);
  if (isAll && around.length < MOST_POINTS) return { at: around, isExact: true };
  return { at: evenly(changes[0] ?? now, now, MOST_POINTS - 1), isExact: false };
}

/** Calls for each item, a few at a time, and answers in their order. After a failure no further call is made. */
export async function fewAtATime<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const AT_ONCE = 4;
  const results: R[] = new Array(items.length);
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const at = next++;
      try {
        results[at] = await call(items[at]!);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return results;
}
