/** Reads that do not depend on each other, sent together: a store behind a network answers them in one round trip. */

/** Reads that are under way at the same time, so that what they return stays bounded. */
export const TOGETHER = 64;

/** Results in the order of the items. Reads one group of items after the other, as far as results are taken. */
export async function* sideBySide<T, R>(items: readonly T[], read: (item: T) => Promise<R>): AsyncGenerator<R> {
  for (let at = 0; at < items.length; at += TOGETHER) yield* await Promise.all(items.slice(at, at + TOGETHER).map(read));
}
