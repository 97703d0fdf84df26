import fc from "fast-check";
import { expect, test } from "vitest";
import type { Change, Row, Table } from "../../../src/base/table/table.ts";
import { derivedHolders, derivedTokens } from "../../../src/evm/index/derived-holders.ts";
import { balanceOfRank, MAX_BALANCE, rankOf } from "../../../src/evm/index/holder-rows.ts";
import * as holderTables from "../../../src/evm/index/holder-tables.ts";
import { evmTokens } from "../../../src/evm/index/tables.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import { type Store, scanAll } from "../../../src/store/store.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { type IntendedBlock, intendedChain, makeChain } from "../decode/intents.ts";
import { type Holder, HoldingsOracle } from "./holdings-oracle.ts";
import { CHAIN, IndexedRows } from "./indexed-rows.ts";

/** As `HoldingsOracle.holders`. */
function holdersIn({ rows }: IndexedRows): Map<string, Holder[]> {
  const lists = new Map<string, Holder[]>();
  const add = (name: string, { rank, holder }: { rank: string; holder: string }) => {
    lists.set(name, [...(lists.get(name) ?? []), { holder, balance: balanceOfRank(rank) }]);
  };
  for (const { key } of inKeyOrder(rows.all(holderTables.evmHolders))) add(`${key.kind} ${key.token} -`, key);
  for (const { key } of inKeyOrder(rows.all(holderTables.evmItemHolders))) add(`55 ${key.token} ${BigInt(`0x${key.tokenId}`)}`, key);
  return lists;
}

function inKeyOrder<R extends Row<Table>>(rows: Iterable<R>): R[] {
  const text = ({ key }: R) => Object.values(key).join(" ");
  return [...rows].sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

function check(indexed: IndexedRows, oracle: HoldingsOracle): void {
  const { rows } = indexed;
  const holders = oracle.holders();
  expect(holdersIn(indexed)).toEqual(holders);
  expect(new Map([...rows.all(holderTables.evmTokenTotals)].map(({ key, value }) => [key.token, value]))).toEqual(oracle.totals());
  const counts = [...rows.all(holderTables.evmNftCounts)].map(({ key, value }) => `${key.token} ${key.holder} ${value.nfts}`);
  const owned = [...holders].filter(([name]) => name.startsWith("21 "));
  const expected = owned.flatMap(([name, list]) => list.map(({ holder, balance }) => `${name.split(" ")[1]} ${holder} ${balance}`));
  expect(counts.sort()).toEqual(expected.sort());
  const met = [...rows.all(evmTokens)].filter(({ value }) => value.kind !== 0);
  const listed = [...rows.all(holderTables.evmTokensByHeight)].map(({ key }) => `${key.kind} ${key.height} ${key.token}`);
  expect(listed.sort()).toEqual(met.map(({ key, value }) => `${value.kind} ${value.height} ${key.token}`).sort());
}

const coins = fc.infiniteStream(fc.boolean());

test("Holders by balance, sums of tokens and the list of tokens are those of plain loops, in whatever commits and prepared or not", () => {
  fc.assert(
    fc.property(intendedChain, coins, coins, (intended: readonly IntendedBlock[], commits, prepared) => {
      const [indexed, oracle] = [new IndexedRows(), new HoldingsOracle()];
      for (const [at, block] of makeChain(intended).entries()) {
        oracle.block(intended[at]!);
        if (prepared.next().value) indexed.projectPrepared(block);
        else indexed.project(block);
        if (!commits.next().value && at < intended.length - 1) continue;
        indexed.commit();
        check(indexed, oracle);
      }
    }),
    { numRuns: 200 },
  );
});

test("A rank falls as the balance rises, and gives it back", () => {
  const balance = fc.oneof(fc.bigInt({ min: 1n, max: MAX_BALANCE }), fc.constantFrom(1n, 255n, 256n, MAX_BALANCE - 1n, MAX_BALANCE));
  fc.assert(
    fc.property(balance, balance, (a, b) => {
      expect(balanceOfRank(rankOf(a))).toBe(a);
      expect(rankOf(a) < rankOf(b)).toBe(a > b);
    }),
  );
});

const HOLDER_TABLES: readonly Table[] = Object.values(holderTables);

async function rowsOf(store: Store): Promise<Map<string, unknown[]>> {
  const found = new Map<string, unknown[]>();
  for (const table of HOLDER_TABLES) {
    const rows: unknown[] = [];
    for await (const row of scanAll(store, table)) rows.push(row);
    found.set(table.name, rows);
  }
  return found;
}

test("The lists of tokens and holders follow from the other rows of a chain", async () => {
  await fc.assert(
    fc.asyncProperty(intendedChain, async (intended) => {
      const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
      try {
        const indexed = new IndexedRows();
        for (const block of makeChain(intended)) indexed.project(block);
        await store.commit(indexed.view.drain());
        const kept = await rowsOf(store);
        for (const table of HOLDER_TABLES) await store.clear(table);
        for (const rows of [derivedHolders, derivedTokens]) {
          const derived: Change[] = [];
          for await (const row of rows(store, CHAIN)) derived.push(row);
          await store.commit(derived);
        }
        expect(await rowsOf(store)).toEqual(kept);
      } finally {
        await store.close();
      }
    }),
    { numRuns: 60 },
  );
});
