import fc from "fast-check";
import { expect, test } from "vitest";
import { ERC20, ERC721, ERC1155 } from "../../../src/evm/facts.ts";
import { tokenIdKey } from "../../../src/evm/index/holding-rows.ts";
import { balanceAt, type PastBalance, pastBalances } from "../../../src/evm/index/past-balances.ts";
import { evmBalances, evmHoldings, evmNfts, evmTokens } from "../../../src/evm/index/tables.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import { CountingReader } from "../../index/counting-reader.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { type IntendedBlock, intendedChain, makeChain, PEOPLE, TOKENS } from "../decode/intents.ts";
import { HoldingsOracle } from "./holdings-oracle.ts";
import { CHAIN, IndexedRows } from "./indexed-rows.ts";

/** Holdings above zero. */
async function held(balances: AsyncIterable<PastBalance>): Promise<PastBalance[]> {
  return (await all(balances)).filter(({ balance }) => balance !== undefined && balance !== 0n);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function sorted(map: ReadonlyMap<string, unknown>): [string, unknown][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Balances that are not zero, as the index has them now. */
function heldNow({ rows }: IndexedRows): Map<string, bigint> {
  const held = new Map<string, bigint>();
  for (const { key, value } of rows.all(evmHoldings)) {
    if (key.kind !== ERC721) held.set(`${key.kind} ${key.token} ${BigInt(`0x${key.tokenId}`)} ${key.holder}`, value.balance);
  }
  return held;
}

/** NFTs of ERC-721 by holder, from the holdings alone. */
function nftsHeld({ rows }: IndexedRows): Map<string, string> {
  const held = new Map<string, string>();
  for (const { key, value } of rows.all(evmHoldings)) {
    if (key.kind !== ERC721) continue;
    const name = `${key.token} ${BigInt(`0x${key.tokenId}`)}`;
    expect(value.balance).toBe(1n);
    expect(held.has(name)).toBe(false);
    held.set(name, key.holder);
  }
  return held;
}

/** ERC-1155 tokens of which somebody holds some, with how many that are. */
function supplies({ balances }: HoldingsOracle): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const [name, balance] of balances) {
    const [kind, token, tokenId] = name.split(" ");
    if (kind === `${ERC1155}` && balance > 0n) sums.set(`${token} ${tokenId}`, (sums.get(`${token} ${tokenId}`) ?? 0n) + balance);
  }
  return sums;
}

function checkNow(indexed: IndexedRows, oracle: HoldingsOracle): void {
  expect(sorted(heldNow(indexed))).toEqual(sorted(new Map([...oracle.balances].filter(([, balance]) => balance !== 0n))));
  expect(sorted(nftsHeld(indexed))).toEqual(sorted(oracle.owners));
  const nfts = [...indexed.rows.all(evmNfts)].map(({ key, value }) => ({ name: `${key.token} ${BigInt(`0x${key.tokenId}`)}`, ...value }));
  expect(sorted(new Map(nfts.filter(({ kind }) => kind === ERC721).map(({ name, owner }) => [name, owner])))).toEqual(
    sorted(oracle.owners),
  );
  expect(sorted(new Map(nfts.filter(({ kind }) => kind === ERC1155).map(({ name, supply }) => [name, supply])))).toEqual(
    sorted(supplies(oracle)),
  );
  const indebted = [...indexed.rows.all(evmTokens)].filter(({ value }) => value.hasDebts).map(({ key }) => key.token);
  expect(indebted.sort()).toEqual([...oracle.indebted].sort());
}

test("Balances, owners, supplies and debts are those of plain loops after every block, in whatever commits", () => {
  fc.assert(
    fc.property(intendedChain, fc.infiniteStream(fc.boolean()), (intended: readonly IntendedBlock[], commits) => {
      const [indexed, oracle] = [new IndexedRows(), new HoldingsOracle()];
      const chain = makeChain(intended);
      for (const [at, block] of intended.entries()) {
        oracle.block(block);
        indexed.project(chain[at]!);
        if (commits.next().value || at === intended.length - 1) {
          indexed.commit();
          checkNow(indexed, oracle);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test("A balance of any past height is that of plain loops up to it", () => {
  fc.assert(
    fc.property(intendedChain, (intended) => {
      const [indexed, oracle] = [new IndexedRows(), new HoldingsOracle()];
      indexed.add(makeChain(intended));
      const history = [...indexed.rows.all(evmBalances)];
      for (const [height, block] of intended.entries()) {
        oracle.block(block);
        const then = new Map<string, bigint>();
        const newestFirst = history.filter(({ key }) => key.height <= height).sort((a, b) => Number(b.key.height - a.key.height));
        for (const { key, value } of newestFirst) {
          const name = `${key.kind} ${key.token} ${BigInt(`0x${key.tokenId}`)} ${key.holder}`;
          if (!then.has(name)) then.set(name, value.balance);
        }
        for (const [name, balance] of oracle.balances) expect(then.get(name) ?? 0n).toBe(balance);
        for (const [name, balance] of then) expect(oracle.balances.get(name)).toBe(balance);
      }
    }),
    { numRuns: 100 },
  );
});

/** Runs `check` on a store that holds the chain. */
async function stored(intended: readonly IntendedBlock[], check: (reader: CountingReader, oracles: HoldingsOracle[]) => Promise<void>) {
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  try {
    const indexed = new IndexedRows();
    const oracles: HoldingsOracle[] = [];
    for (const block of makeChain(intended)) indexed.project(block);
    await store.commit(indexed.view.drain());
    for (const height of intended.keys()) {
      const oracle = new HoldingsOracle();
      for (const block of intended.slice(0, height + 1)) oracle.block(block);
      oracles.push(oracle);
    }
    await check(new CountingReader(store), oracles);
  } finally {
    await store.close();
  }
}

test("Past balances of a holder are found by skipping from token to token, whichever token one begins behind", async () => {
  await fc.assert(
    fc.asyncProperty(intendedChain, (intended) =>
      stored(intended, async (reader, oracles) => {
        for (const [height, oracle] of oracles.entries()) {
          for (const holder of PEOPLE) {
            for (const kind of [ERC20, ERC1155] as const) {
              const wanted = [...oracle.balances]
                .map(([name, balance]) => ({ parts: name.split(" "), balance }))
                .filter(({ parts, balance }) => parts[0] === `${kind}` && parts[3] === holder && balance !== 0n)
                .map(({ parts, balance }) => ({ token: parts[1]!, tokenId: tokenIdKey(BigInt(parts[2]!)), balance }))
                .sort((a, b) => (a.token + a.tokenId < b.token + b.tokenId ? -1 : 1));
              const found = await held(pastBalances(reader, { chain: CHAIN, holder, kind }, BigInt(height)));
              expect(found).toEqual(wanted);
              const behind = wanted[wanted.length >> 1];
              if (behind === undefined) continue;
              const rest = await held(pastBalances(reader, { chain: CHAIN, holder, kind }, BigInt(height), { after: behind }));
              expect(rest).toEqual(wanted.slice((wanted.length >> 1) + 1));
              const ofToken = await held(pastBalances(reader, { chain: CHAIN, holder, kind }, BigInt(height), { token: behind.token }));
              expect(ofToken).toEqual(wanted.filter(({ token }) => token === behind.token));
            }
          }
        }
      }),
    ),
    { numRuns: 12 },
  );
});

test("A past balance costs one row however often it changed, a list of them two rows a token", async () => {
  const [holder, other] = PEOPLE as [string, string];
  const move = (token: "plain" | "allIndexed") => ({ kind: "amount", token, from: other, to: holder, value: 1n }) as const;
  const block = [{ from: holder, to: other, isSuccess: true, inputLength: 0, intents: [move("plain"), move("allIndexed")] }];
  await stored(
    Array.from({ length: 300 }, () => block),
    async (reader) => {
      const place = { token: TOKENS.plain, tokenId: tokenIdKey(0n) };
      expect(await balanceAt(reader, { chain: CHAIN, holder, kind: ERC20 }, place, 149n)).toBe(150n);
      expect(reader.rows).toBe(1);
      reader.rows = 0;
      expect(await all(pastBalances(reader, { chain: CHAIN, holder, kind: ERC20 }, 200n))).toHaveLength(2);
      expect(reader.rows).toBe(4);
      reader.rows = 0;
      // what is held only later is passed over by its first row
      expect(await all(pastBalances(reader, { chain: CHAIN, holder, kind: ERC20 }, -1n))).toMatchObject([
        { balance: undefined },
        { balance: undefined },
      ]);
      expect(reader.rows).toBe(2);
    },
  );
});
