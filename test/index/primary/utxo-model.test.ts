import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_LOCK, PLAIN_LOCK, STAKEABLE_LOCK } from "../../../src/index/primary/balance-locks.ts";
import { type Balance, readBalances } from "../../../src/index/primary/balance-reader.ts";
import {
  BUCKET_EXPORTED,
  BUCKET_IMPORTABLE,
  BUCKET_OWN,
  BUCKET_STAKED,
  BUCKET_STAKED_LOCKED,
  BUCKET_STAKED_PENDING,
} from "../../../src/index/primary/balance-tables.ts";
import type { Owners } from "../../../src/index/primary/owner-group-reader.ts";
import { type PrimaryChain, primaryChains, X_CHAIN } from "../../../src/index/primary/primary-chain.ts";
import { readUtxoPage, type UtxoPageQuery, type UtxoPosition } from "../../../src/index/primary/utxo-reader.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { ADDRESSES, AMOUNTS, ASSETS, anyHappening, type Happening, Lives, STRANGER } from "./utxo-lives.ts";
import { type LivingUtxo, network, UtxoWorld } from "./utxo-world.ts";

/** A store in which these things have happened. */
async function living(happenings: readonly Happening[], hold: (world: UtxoWorld, lives: Lives) => Promise<void>): Promise<void> {
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false });
  try {
    const world = new UtxoWorld(store);
    const lives = new Lives(world);
    for (const happening of happenings) await lives.happen(happening);
    await world.commit();
    await hold(world, lives);
  } finally {
    await store.close();
  }
}

function happenings(maxLength: number): fc.Arbitrary<Happening[]> {
  return fc.array(anyHappening, { minLength: 1, maxLength, size: "max" });
}

const RUNS = Number(process.env.FIRN_UTXO_RUNS ?? 15);

const anyOwners: fc.Arbitrary<Owners> = fc.option(fc.uniqueArray(fc.constantFrom(...ADDRESSES, STRANGER), { minLength: 1 }), {
  nil: undefined,
});
const anyChain = fc.constantFrom(...primaryChains);

type Query = Omit<UtxoPageQuery, "after">;

const anyQuery: fc.Arbitrary<Query> = fc.record({
  chain: anyChain,
  owners: anyOwners,
  assetId: fc.option(fc.constantFrom(...ASSETS), { nil: undefined }),
  minAmount: fc.constantFrom(0n, ...AMOUNTS, 2n ** 64n),
  includeSpent: fc.boolean(),
  sortBy: fc.constantFrom("timestamp" as const, "amount" as const),
  isDescending: fc.boolean(),
  limit: fc.integer({ min: 1, max: 7 }),
});

function isSeen({ owner, createdOn, consumedOn }: LivingUtxo, chain: number, asked: Owners): boolean {
  if (createdOn !== chain && consumedOn !== chain) return false;
  if (asked === undefined) return true;
  const found = owner.addresses.filter((address) => asked.includes(address)).length;
  return found > 0 && found >= owner.threshold;
}

function expectedList(utxos: readonly LivingUtxo[], { chain, owners, assetId, minAmount, includeSpent, sortBy, isDescending }: Query) {
  const direction = isDescending ? -1 : 1;
  const rank = (utxo: LivingUtxo) => (sortBy === "amount" ? utxo.amount : utxo.created!);
  return utxos
    .filter(({ created }) => created !== undefined)
    .filter((utxo) => isSeen(utxo, chain, owners) && utxo.amount >= minAmount)
    .filter((utxo) => includeSpent || utxo.spent === undefined)
    .filter((utxo) => chain !== X_CHAIN || assetId === undefined || utxo.assetId === assetId)
    .sort((a, b) => direction * (rank(a) === rank(b) ? (a.utxoId < b.utxoId ? -1 : 1) : rank(a) < rank(b) ? -1 : 1))
    .map(({ utxoId }) => utxoId);
}

async function walk(world: UtxoWorld, query: Query, between: () => Promise<void> = async () => {}): Promise<string[]> {
  const found: string[] = [];
  let after: UtxoPosition | undefined;
  for (;;) {
    const { utxos, next } = await readUtxoPage(world.store, network, { ...query, after });
    found.push(...utxos.map(({ utxoId }) => utxoId));
    if (next === undefined) return found;
    after = next;
    await between();
  }
}

test("lists of UTXOs are filters and sorts of all UTXOs, page by page", async () => {
  const queries = fc.array(anyQuery, { minLength: 20, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(happenings(200), queries, (happened, asked) =>
      living(happened, async (world) => {
        for (const query of asked) expect(await walk(world, query)).toEqual(expectedList(world.utxos, query));
      }),
    ),
    { numRuns: RUNS },
  );
});

test("a walk shows what was there at its start exactly once, and nothing twice, while UTXOs are made and spent", async () => {
  await fc.assert(
    fc.asyncProperty(happenings(100), happenings(100), anyQuery, (before, during, query) =>
      living(before, async (world, lives) => {
        const atStart = world.utxos.filter(({ created }) => created !== undefined);
        const wasSpent = new Set(atStart.filter(({ spent }) => spent !== undefined));
        const coming = [...during];
        const found = await walk(world, { ...query, limit: 2 }, async () => {
          for (const happening of coming.splice(0, 3)) await lives.happen(happening);
          await world.commit();
        });
        expect(new Set(found).size).toBe(found.length);
        const lasting = atStart.filter((utxo) => query.includeSpent || wasSpent.has(utxo) || utxo.spent === undefined);
        expect(found).toEqual(expect.arrayContaining(expectedList(lasting, query)));
        const shown = new Set(expectedList(world.utxos, { ...query, includeSpent: true }));
        expect(found.filter((utxoId) => !shown.has(utxoId))).toEqual([]);
      }),
    ),
    { numRuns: RUNS },
  );
});

/** Where a UTXO counts at a time, or now; undefined: nowhere. */
function placeOf(utxo: LivingUtxo, chain: PrimaryChain, at: bigint | undefined, clock: bigint): number[] | undefined {
  const { created, spent, createdOn, consumedOn, locktime, stakeableLocktime = 0n, stake } = utxo;
  if (created === undefined || utxo.amount === 0n) return undefined;
  if (at === undefined ? spent !== undefined : created >= at || (spent !== undefined && spent <= at)) return undefined;
  const time = at ?? clock;
  if (createdOn !== consumedOn) {
    const peer = createdOn === chain ? consumedOn : createdOn;
    return [createdOn === chain ? BUCKET_EXPORTED : BUCKET_IMPORTABLE, peer, locktime > time ? PLAIN_LOCK : NO_LOCK];
  }
  const staked = stake?.states.findLast((state) => at === undefined || state.time <= at);
  if (staked?.state === "pending") return [BUCKET_STAKED_PENDING, chain, NO_LOCK];
  if (staked?.state === "active") {
    const isLocked = locktime > staked.end || stakeableLocktime > staked.end;
    return [isLocked ? BUCKET_STAKED_LOCKED : BUCKET_STAKED, chain, NO_LOCK];
  }
  return [BUCKET_OWN, chain, stakeableLocktime > time ? STAKEABLE_LOCK : locktime > time ? PLAIN_LOCK : NO_LOCK];
}

function expectedBalances(utxos: readonly LivingUtxo[], chain: PrimaryChain, owners: Owners, at: bigint | undefined, clock: bigint) {
  const sums = new Map<string, [bigint, number]>();
  for (const utxo of utxos.filter((utxo) => isSeen(utxo, chain, owners))) {
    const place = placeOf(utxo, chain, at, clock);
    if (place === undefined) continue;
    const name = [...place, utxo.assetId, utxo.isNft].join();
    const [amount, count] = sums.get(name) ?? [0n, 0];
    sums.set(name, [amount + utxo.amount, count + 1]);
  }
  return Object.fromEntries(sums);
}

function byPlace(balances: readonly Balance[]) {
  return Object.fromEntries(
    balances.map(({ bucket, peer, lock, assetId, isNft, amount, count }) => [[bucket, peer, lock, assetId, isNft].join(), [amount, count]]),
  );
}

test("balances of every second, and of now, are sums of what was there then", async () => {
  await fc.assert(
    fc.asyncProperty(happenings(120), anyChain, anyOwners, (happened, chain, asked) =>
      living(happened, async ({ utxos, store }) => {
        const last = happened.reduce((sum, { later }) => sum + later, 110n);
        for (let at = 96n; at < last + 60n; at += at < last ? 1n : 7n) {
          const found = await readBalances(store, chain, asked, { at, clock: 0n });
          expect(byPlace(found), `at ${at}`).toEqual(expectedBalances(utxos, chain, asked, at, 0n));
        }
        const now = await readBalances(store, chain, asked, { at: undefined, clock: last });
        expect(byPlace(now), "now").toEqual(expectedBalances(utxos, chain, asked, undefined, last));
      }),
    ),
    { numRuns: RUNS },
  );
});
