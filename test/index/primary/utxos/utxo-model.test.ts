import fc from "fast-check";
import { expect, test } from "vitest";
import type { Table } from "../../../../src/base/table/table.ts";
import { readBalances } from "../../../../src/index/primary/balances/balance-reader.ts";
import { balanceHeads, balanceHistory, endedSums } from "../../../../src/index/primary/balances/balance-tables.ts";
import { primaryChains } from "../../../../src/index/primary/primary-chain.ts";
import type { Owners } from "../../../../src/index/primary/utxos/owner-group-reader.ts";
import { readUtxoPage, type UtxoPosition } from "../../../../src/index/primary/utxos/utxo-reader.ts";
import {
  earlierActivities,
  groupsByAddress,
  ownerAssets,
  ownerGroups,
  utxosByAmount,
  utxosByTime,
} from "../../../../src/index/primary/utxos/utxo-tables.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../../../src/store/store.ts";
import { sized } from "../../../share.ts";
import { scratchDirectory } from "../../../store/scratch.ts";
import { ADDRESSES, AMOUNTS, ASSETS, anyHappening, anyHappeningInCrowds, type Happening, Lives, STRANGER } from "./utxo-lives.ts";
import { byPlace, expectedBalances, expectedList, type Query } from "./utxo-loops.ts";
import { network, startIds, UtxoWorld } from "./utxo-world.ts";

/** A store after these events. */
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

const RUNS = Number(process.env.FIRN_UTXO_RUNS ?? sized({ whole: 15, share: 5 }));

const anyOwners: fc.Arbitrary<Owners> = fc.option(fc.uniqueArray(fc.constantFrom(...ADDRESSES, STRANGER), { minLength: 1 }), {
  nil: undefined,
});
const anyChain = fc.constantFrom(...primaryChains);

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

test("so they are while lists grow from short to medium and to long", async () => {
  const queries = fc.array(
    anyQuery.map((query) => ({ ...query, limit: 60 * query.limit })),
    { minLength: 20, maxLength: 20 },
  );
  const crowded = fc.array(anyHappeningInCrowds, { minLength: 1, maxLength: 40, size: "max" });
  await fc.assert(
    fc.asyncProperty(crowded, queries, (happened, asked) =>
      living(happened, async (world) => {
        for (const query of asked) expect(await walk(world, query)).toEqual(expectedList(world.utxos, query));
      }),
    ),
    { numRuns: RUNS },
  );
});

test("rows do not depend on which blocks were committed together", async () => {
  const crowded = fc.array(anyHappeningInCrowds, { minLength: 1, maxLength: 40, size: "max" });
  await fc.assert(
    fc.asyncProperty(crowded, async (happened) => {
      const rows: string[][] = [];
      const together = happened.filter(({ what }) => what !== "commit");
      const commitAfter = (size: number) =>
        together.flatMap((happening, i) =>
          i % size === 0 ? [happening, { ...happening, what: "commit" as const, later: 0n }] : [happening],
        );
      for (const way of [together, commitAfter(1), commitAfter(5)]) {
        startIds();
        await living(way, async ({ store }) => {
          rows.push(await allRows(store));
        });
      }
      expect(rows[1]).toEqual(rows[0]);
      expect(rows[2]).toEqual(rows[0]);
    }),
    { numRuns: RUNS },
  );
});

/** Of the tables of lists and owners. */
async function allRows(store: Store): Promise<string[]> {
  const rows: string[] = [];
  for (const table of [
    ownerGroups,
    earlierActivities,
    ownerAssets,
    groupsByAddress,
    utxosByTime,
    utxosByAmount,
    balanceHeads,
    balanceHistory,
    endedSums,
  ]) {
    for (const { key, value } of await store.scan<Table>(table, { limit: Number.MAX_SAFE_INTEGER })) {
      rows.push([table.name, ...Object.values(key), ...Object.values(value).map(textOf)].join());
    }
  }
  return rows;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((part) => Object.values(part).join()).join(";");
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
}

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
