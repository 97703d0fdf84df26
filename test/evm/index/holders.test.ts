import fc from "fast-check";
import { expect, test } from "vitest";
import { ERC20 } from "../../../src/evm/facts.ts";
import { balanceOfRank, MAX_BALANCE, rankOf } from "../../../src/evm/index/holder-rows.ts";
import * as holderTables from "../../../src/evm/index/holder-tables.ts";
import { evmTokens } from "../../../src/evm/index/tables.ts";
import { fillHolders } from "../../../src/evm/ingest/fill-holders.ts";
import type { Change, Row, Table } from "../../../src/primitives/table.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import { type Store, scanAll } from "../../../src/store/store.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { type IntendedBlock, intendedChain, makeBlock, makeChain, TOKENS } from "../decode/intents.ts";
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

test("Holders by balance, sums of tokens and the list of tokens are those of plain loops after every block, in whatever commits", () => {
  fc.assert(
    fc.property(intendedChain, fc.infiniteStream(fc.boolean()), (intended: readonly IntendedBlock[], commits) => {
      const [indexed, oracle] = [new IndexedRows(), new HoldingsOracle()];
      for (const [at, block] of makeChain(intended).entries()) {
        oracle.block(intended[at]!);
        indexed.project(block);
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

/** As a Firn left the store that did not know these tables. @param leftovers some rows that an interrupted attempt made */
async function withoutHolders(store: Store, leftovers: readonly Change[] = []): Promise<void> {
  for (const table of HOLDER_TABLES) await store.clear(table);
  await store.commit(leftovers);
}

test("The lists of a chain that an older Firn indexed become those of a chain that always had them", async () => {
  await fc.assert(
    fc.asyncProperty(intendedChain, async (intended) => {
      const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
      try {
        const indexed = new IndexedRows();
        for (const block of makeChain(intended)) indexed.project(block);
        await store.commit(indexed.view.drain());
        const wanted = await rowsOf(store);
        const stale = {
          table: holderTables.evmHolders,
          key: { chain: CHAIN, token: TOKENS.plain, kind: ERC20, rank: rankOf(77n), holder: "99".repeat(20) },
          value: {},
        };
        await withoutHolders(store, [stale as Change]);
        const stopped = new AbortController();
        stopped.abort();
        expect(await fillHolders(store, CHAIN, { signal: stopped.signal })).toBe(false);
        expect(await fillHolders(store, CHAIN)).toBe(true);
        expect(await rowsOf(store)).toEqual(wanted);
        const again = () => {
          throw new Error("they were complete");
        };
        expect(await fillHolders(store, CHAIN, { onStart: again })).toBe(true);
      } finally {
        await store.close();
      }
    }),
    { numRuns: 60 },
  );
});

test("Lists are not continued behind blocks that an older Firn indexed, so they never count as complete", () => {
  const block: IntendedBlock = [];
  const old = new IndexedRows();
  const first = makeBlock(0n, block);
  old.add([first]);
  for (const table of HOLDER_TABLES) for (const { key } of [...old.rows.all(table)]) old.rows.apply([{ table, key, value: undefined }]);
  const second = makeBlock(1n, block, { parentHash: first.hash });
  old.add([second]);
  expect(HOLDER_TABLES.flatMap((table) => [...old.rows.all(table)])).toEqual([]);
});

test("Lists that were made behind an old block are not continued once that block was replaced", async () => {
  const pays = (value: bigint): IntendedBlock => [
    {
      from: TOKENS.plain,
      to: TOKENS.plain,
      isSuccess: true,
      inputLength: 0,
      intents: [{ kind: "amount", token: "plain", from: "00".repeat(20), to: "a1".repeat(20), value }],
    },
  ];
  const indexed = new IndexedRows();
  const [first, second] = makeChain([pays(1n), pays(2n)]) as [ReturnType<typeof makeBlock>, ReturnType<typeof makeBlock>];
  indexed.add([first]);
  for (const table of HOLDER_TABLES)
    for (const { key } of [...indexed.rows.all(table)]) indexed.rows.apply([{ table, key, value: undefined }]);
  indexed.add([second]);
  const tip = { table: holderTables.evmHolderTips, key: { chain: CHAIN }, value: { hash: second.hash } };
  indexed.rows.apply([tip as Change]);
  indexed.undoTo(0n);
  indexed.add([makeBlock(1n, pays(3n), { branch: "other", parentHash: first.hash })]);
  const [kept] = [...indexed.rows.all(holderTables.evmHolderTips)];
  expect(kept?.value.hash).toBe(second.hash);
  expect([...indexed.rows.all(holderTables.evmHolders)]).toEqual([]);
});
