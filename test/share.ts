/**
 * `npm test` does a share of the checks that take long, drawn by the seed of the run. `npm run test:whole` does all of them, in the files
 * that `whole.ts` lists with what only it covers.
 */
import { createHash, randomInt } from "node:crypto";
import { randomOf } from "./random.ts";

export const isWhole = process.env.FIRN_TEST_WHOLE === "1";

/** How often something is done, or how much of it. */
export function sized<T>({ whole, share }: { readonly whole: T; readonly share: T }): T {
  return isWhole ? whole : share;
}

process.env.FIRN_TEST_SEED ??= String(randomInt(2 ** 31));
/** One for all that a run draws, so that it can be repeated: workers have it from their parent. */
export const SEED = Number(process.env.FIRN_TEST_SEED);

/**
 * So many of them, in their order.
 * @param about what they are: lists of one length do not draw the same places
 */
export function drawn<T>(about: string, all: readonly T[], count: number): readonly T[] {
  return isWhole ? all : draw(about, all, count);
}

/** As `drawn`, also when all are tested. */
export function draw<T>(about: string, all: readonly T[], count: number): readonly T[] {
  const random = randomFor(about);
  const ranked = all.map((_, i) => ({ i, rank: random() })).toSorted((a, b) => a.rank - b.rank);
  const chosen = new Set(ranked.slice(0, count).map(({ i }) => i));
  return all.filter((_, i) => chosen.has(i));
}

/** About one in so many, in their order, and at least one of each kind. */
export function shareOf<T>(about: string, all: readonly T[], oneIn: number, kindOf: (item: T) => string): readonly T[] {
  if (isWhole) return all;
  const random = randomFor(about);
  const ranks = all.map(() => random());
  const lowest = new Map<string, number>();
  const kinds = all.map(kindOf);
  for (const [i, kind] of kinds.entries()) lowest.set(kind, Math.min(lowest.get(kind) ?? 1, ranks[i]!));
  return all.filter((_, i) => ranks[i]! * oneIn < 1 || ranks[i] === lowest.get(kinds[i]!));
}

function randomFor(about: string): () => number {
  return randomOf(createHash("sha256").update(`${SEED} ${about}`).digest().readUInt32BE());
}
