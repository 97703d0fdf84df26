/** What is measured of a follower over time, and whether it stays within bounds. */

/** How far each chain of a follower is behind its upstream, in milliseconds: one value for each height that the upstream was seen at. */
export class Lags {
  readonly values: number[] = [];
  readonly #open = new Map<string, { readonly height: bigint; readonly at: number }[]>();

  /** @param now milliseconds, from any start */
  note(chain: string, upstream: bigint, follower: bigint, now: number): void {
    const open = this.#open.get(chain) ?? [];
    this.#open.set(chain, open);
    if (upstream > (open.at(-1)?.height ?? follower)) open.push({ height: upstream, at: now });
    while (open[0] !== undefined && open[0].height <= follower) this.values.push(now - open.shift()!.at);
  }
}

/** @param share from 0 to 1; 0 if there are no values */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Medians of the first and the last quarter. */
export function quarters(values: readonly number[]): readonly [number, number] {
  const quarter = Math.max(1, values.length >> 2);
  return [percentile(values.slice(0, quarter), 0.5), percentile(values.slice(-quarter), 0.5)];
}
