/** What can be said about stake from a list of validators. Pure functions. */

export interface Stake {
  readonly nodeId: string;
  /** nAVAX: own and delegated */
  readonly weight: bigint;
  /** Unix seconds */
  readonly end: number;
}

/** Own stake and what is delegated to it; a pending validator has no delegations yet. */
export function weightOf(validator: { readonly amountStaked: string; readonly amountDelegated?: string }): bigint {
  return BigInt(validator.amountStaked) + BigInt(validator.amountDelegated ?? 0);
}

export interface Period {
  /** `2026-12`, or `2026-12-24` */
  readonly name: string;
  readonly weight: bigint;
  readonly count: number;
}

/** Days are told apart up to this many; beyond, months. */
const MOST_DAYS = 45;
const DAY_SECONDS = 86_400;

/** The stake whose period ends on each day (UTC), or in each month if the ends are far apart. Periods without an end are there, with 0. */
export function byEnd(stakes: readonly Stake[]): readonly Period[] {
  if (stakes.length === 0) return [];
  const ends = stakes.map(({ end }) => end);
  const [first, last] = [ends.reduce((a, b) => Math.min(a, b)), ends.reduce((a, b) => Math.max(a, b))];
  const length = last - first <= MOST_DAYS * DAY_SECONDS ? "2026-12-24".length : "2026-12".length;
  const nameOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, length);
  const periods = new Map<string, { weight: bigint; count: number }>();
  for (let day = first; day < last; day += DAY_SECONDS) periods.set(nameOf(day), { weight: 0n, count: 0 });
  periods.set(nameOf(last), { weight: 0n, count: 0 });
  for (const { weight, end } of stakes) {
    const period = periods.get(nameOf(end))!;
    period.weight += weight;
    period.count++;
  }
  return [...periods].map(([name, period]) => ({ name, ...period }));
}

export interface Holder {
  readonly nodeId: string;
  readonly weight: bigint;
  /** weight of this node and all larger ones */
  readonly cumulative: bigint;
}

/** Nodes by weight, largest first; those of equal weight by node ID. */
export function byWeight(stakes: readonly Stake[]): readonly Holder[] {
  const sorted = [...stakes].sort((a, b) => (a.weight === b.weight ? (a.nodeId < b.nodeId ? -1 : 1) : a.weight > b.weight ? -1 : 1));
  let cumulative = 0n;
  return sorted.map(({ nodeId, weight }) => {
    cumulative += weight;
    return { nodeId, weight, cumulative };
  });
}

/** The least number of nodes that together have more than `numerator / denominator` of the weight; undefined if there is no weight. */
export function fewestAbove(holders: readonly Holder[], numerator: bigint, denominator: bigint): number | undefined {
  const total = holders.at(-1)?.cumulative ?? 0n;
  const index = holders.findIndex(({ cumulative }) => cumulative * denominator > total * numerator);
  return index === -1 ? undefined : index + 1;
}

/** A share in percent with two decimals, rounded down: `12.34`. */
export function percentText(part: bigint, whole: bigint): string {
  if (whole === 0n) return "0.00";
  const hundredths = `${(part * 10_000n) / whole}`.padStart(3, "0");
  return `${hundredths.slice(0, -2)}.${hundredths.slice(-2)}`;
}

/** Percent as the API has it, without trailing zeros: `2.5` for `2.5000000000000000`. */
export function shortPercent(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Up to `most` whole numbers from `first` to `last`, both included, as evenly as possible. */
export function spread(first: number, last: number, most: number): readonly number[] {
  const steps = Math.min(most - 1, last - first);
  if (steps <= 0) return [last];
  return Array.from({ length: steps + 1 }, (_, i) => first + Math.floor(((last - first) * i) / steps));
}
