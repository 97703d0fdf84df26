/** Loops that give up the turn between items, for work without store reads, which already do so. */
import type { Work } from "./work.ts";

/** Checking whether the turn is over takes about 50 ns, so loops check after several items. */
const ITEMS = 16;

/** @param use must take well below a millisecond */
export async function eachInTurns<T>(work: Work, items: Iterable<T>, use: (item: T) => unknown): Promise<void> {
  let left = ITEMS;
  for (const item of items) {
    use(item);
    if (--left > 0) continue;
    left = ITEMS;
    for (let turn = work.turn(); turn !== undefined; turn = work.turn()) await turn;
  }
}

export async function mapInTurns<T, R>(work: Work, items: Iterable<T>, map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  await eachInTurns(work, items, (item) => results.push(map(item)));
  return results;
}

/** The items without repetitions, in order of their first appearance. */
export async function distinctInTurns<T>(work: Work, items: Iterable<T>): Promise<T[]> {
  const seen = new Set<T>();
  return filterInTurns(work, items, (item) => seen.size < seen.add(item).size);
}

export async function filterInTurns<T>(work: Work, items: Iterable<T>, accepts: (item: T) => boolean): Promise<T[]> {
  const accepted: T[] = [];
  await eachInTurns(work, items, (item) => accepts(item) && accepted.push(item));
  return accepted;
}

/** Runs a generator that yields between pieces of its work. Returns no promise if it finishes within the turn. */
export function runInTurns<R>(work: Work, steps: Generator<unknown, R>): R | Promise<R> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const turn = work.turn();
    if (turn !== undefined) return goOnInTurns(turn, work, steps);
  }
}

async function goOnInTurns<R>(first: Promise<void>, work: Work, steps: Generator<unknown, R>): Promise<R> {
  for (let turn: Promise<void> | undefined = first; ; turn = work.turn()) {
    for (; turn !== undefined; turn = work.turn()) await turn;
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Sorts by `compare`, by default as texts; equal items keep their order. */
export async function sortInTurns<T>(work: Work, items: readonly T[], compare = byText<T>): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare));
    for (let turn = work.turn(); turn !== undefined; turn = work.turn()) await turn;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [left, right] = [runs[at]!, runs[at + 1]];
      merged.push(right === undefined ? left : await runInTurns(work, mergeSteps(left, right, compare)));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Number of items that are sorted or merged in one piece. */
const RUN = 512;

function byText<T>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function* mergeSteps<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  const merged: T[] = [];
  let next = 0;
  for (const item of left) {
    while (next < right.length && compare(right[next]!, item) < 0) {
      merged.push(right[next++]!);
      if (merged.length % RUN === 0) yield;
    }
    merged.push(item);
    if (merged.length % RUN === 0) yield;
  }
  while (next < right.length) {
    merged.push(right[next++]!);
    if (merged.length % RUN === 0) yield;
  }
  return merged;
}
