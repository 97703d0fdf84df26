/** Counts comparisons by method of the node, and keeps the differences. */
import { isDeepStrictEqual } from "node:util";

export class Tally {
  readonly compared = new Map<string, number>();
  readonly differences: string[] = [];

  get count(): number {
    return [...this.compared.values()].reduce((sum, count) => sum + count, 0);
  }

  /** @param question what was asked, for people */
  compare(method: string, question: string, actual: unknown, expected: unknown): void {
    this.compared.set(method, (this.compared.get(method) ?? 0) + 1);
    if (isDeepStrictEqual(actual, expected)) return;
    this.differences.push(`${method} ${question}\n  the Data API says ${shown(actual)}\n  the node says     ${shown(expected)}`);
  }

  /** Of sets: says what is in one alone. */
  compareSets(method: string, question: string, actual: Iterable<string>, expected: Iterable<string>): void {
    const [a, e] = [[...actual].sort(), [...expected].sort()];
    this.compare(method, question, without(a, e), without(e, a));
  }

  add(other: Tally): void {
    for (const [method, count] of other.compared) this.compared.set(method, (this.compared.get(method) ?? 0) + count);
    this.differences.push(...other.differences);
  }
}

const LONGEST_SHOWN = 2000;

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `${member}` : member)) ?? `${value}`;
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** What is left of `list` without `others`; items that come several times count as often. */
function without(list: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of others) counts.set(item, (counts.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = counts.get(item) ?? 0;
    counts.set(item, count - 1);
    return count <= 0;
  });
}
