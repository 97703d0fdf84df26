/** Compares balances of generated chains with simple loops, page by page, and checks the cost of a page. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Position } from "../../../../src/api/data/context.ts";
import { listCollectibleBalances } from "../../../../src/api/data/evm/balances/list-collectibles.ts";
import { listErc20Balances } from "../../../../src/api/data/evm/balances/list-erc20.ts";
import { listErc721Balances } from "../../../../src/api/data/evm/balances/list-erc721.ts";
import { listErc1155Balances } from "../../../../src/api/data/evm/balances/list-erc1155.ts";
import type { EvmChain } from "../../../../src/api/data/evm/evm-chain.ts";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import { ERC20, ERC721, ERC1155, type TransferKind } from "../../../../src/evm/facts.ts";
import { NO_TOKEN_ID, tokenIdKey } from "../../../../src/evm/index/holding-rows.ts";
import { evmBalances, evmChainStates, evmHoldings } from "../../../../src/evm/index/tables.ts";
import { evmLyingTokens, evmTokenChecks } from "../../../../src/evm/index/token-tables.ts";
import { UpstreamError } from "../../../../src/sources/upstream/upstream-error.ts";
import type { RpcCall } from "../../../../src/sources/upstream/upstream-rpc.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../../../src/store/store.ts";
import { classOf, type IntendedBlock, intendedChain, makeChain, PEOPLE, TOKENS, ZERO } from "../../../evm/decode/intents.ts";
import { HoldingsOracle } from "../../../evm/index/holdings-oracle.ts";
import { CHAIN, IndexedRows } from "../../../evm/index/indexed-rows.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { scratchDirectory } from "../../../store/scratch.ts";
import { ask, walk } from "../staking/request.ts";
import { askedOf, evmChain, modelRpc, silentLabels } from "./evm-chain.ts";

/** What was found out about contracts, apart from their logs. */
interface Findings {
  readonly lying: readonly string[];
  readonly fake: readonly string[];
  readonly malicious: readonly string[];
}

const TOKEN_LIST = Object.values(TOKENS);
const findings: fc.Arbitrary<Findings> = fc
  .record({
    lying: fc.subarray(TOKEN_LIST, { maxLength: 2 }),
    fake: fc.subarray(TOKEN_LIST, { maxLength: 1 }),
    malicious: fc.subarray(TOKEN_LIST, { maxLength: 2 }),
  })
  .map(({ lying, fake, malicious }) => ({ lying, fake: fake.filter((token) => !lying.includes(token)), malicious }));

/** Was asked and is no token, whatever its logs look like. */
function isNone(token: string): boolean {
  const tokenClass = classOf(token);
  return tokenClass !== undefined && tokenClass.kind === undefined;
}

/** What contracts that lie answer: anything, nothing, and now and then no answer. */
function truth(token: string, tokenId: bigint, holder: string, height: bigint): bigint | undefined {
  const mixed = Number.parseInt(token.slice(0, 2), 16) + Number(tokenId % 7n) + Number.parseInt(holder.slice(0, 2), 16) + Number(height);
  return mixed % 4 === 3 ? undefined : BigInt(mixed % 4);
}

function nodeAnswer({ method, params }: RpcCall): unknown {
  const [call, tag] = params as [{ to: string; data: string } | string, string];
  if (typeof call === "string") return method === "eth_getBalance" ? `0x${(BigInt(tag) + BigInt(call.slice(0, 4))).toString(16)}` : null;
  const { to, data } = call;
  const holder = data.slice(34, 74);
  const tokenId = data.length === 74 ? 0n : BigInt(`0x${data.slice(74)}`);
  const balance = truth(to.slice(2), tokenId, holder, BigInt(tag));
  if (balance === undefined) throw new UpstreamError("refused", "execution reverted");
  return `0x${balance.toString(16).padStart(64, "0")}`;
}

/** After each height. */
function oraclesOf(intended: readonly IntendedBlock[]): HoldingsOracle[] {
  return intended.map((_, height) => {
    const oracle = new HoldingsOracle();
    for (const block of intended.slice(0, height + 1)) oracle.block(block);
    return oracle;
  });
}

class Expectation {
  readonly #oracles: readonly HoldingsOracle[];
  readonly #findings: Findings;

  constructor(oracles: readonly HoldingsOracle[], found: Findings) {
    this.#oracles = oracles;
    this.#findings = found;
  }

  /** `token tokenId balance` in the order of the list. */
  balances(
    kind: 20 | 55,
    holder: string,
    height: number,
    { hidesMalicious, isNow }: { hidesMalicious: boolean; isNow: boolean },
  ): string[] {
    const { lying, fake, malicious } = this.#findings;
    const shown: { place: string; text: string }[] = [];
    for (const [name, balance] of this.#oracles[height]!.balances) {
      const [kindText, token, tokenId, owner] = name.split(" ") as [string, string, string, string];
      if (
        kindText !== `${kind}` ||
        owner !== holder ||
        isNone(token) ||
        fake.includes(token) ||
        (hidesMalicious && malicious.includes(token))
      )
        continue;
      if (!this.#oracles.slice(0, height + 1).some((_, at) => this.#changed(name, at))) continue;
      const isKnownLiar = lying.includes(token) || this.#oracles.at(-1)!.remade.has(token);
      // of the index's own: as soon as somebody's sum was below zero
      const hasDebts = this.#oracles.at(-1)!.indebted.has(token);
      // what sums up to nothing is looked for only where the check found the liar or the contract was made again, and in the past, where all that was held is looked at
      const isAsked = isNow && !(isKnownLiar && kind === 20) ? (isKnownLiar || hasDebts) && balance !== 0n : isKnownLiar || hasDebts;
      const held = isAsked ? (truth(token, BigInt(tokenId), holder, BigInt(height)) ?? 0n) : balance;
      if (held > 0n) shown.push({ place: token + BigInt(tokenId).toString(16).padStart(64, "0"), text: `${token} ${tokenId} ${held}` });
    }
    return shown.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ text }) => text);
  }

  nfts(holder: string): string[] {
    const owned = [...this.#oracles.at(-1)!.owners]
      .filter(([, owner]) => owner === holder)
      .map(([name]) => name.split(" ") as [string, string]);
    return owned
      .filter(([token]) => !this.#findings.fake.includes(token))
      .map(([token, tokenId]) => ({ place: token + BigInt(tokenId).toString(16).padStart(64, "0"), text: `${token} ${tokenId} 1` }))
      .sort((a, b) => (a.place < b.place ? -1 : 1))
      .map(({ text }) => text);
  }

  #changed(name: string, at: number): boolean {
    return (this.#oracles[at]!.balances.get(name) ?? 0n) !== (this.#oracles[at - 1]?.balances.get(name) ?? 0n);
  }
}

/** Runs `check` on a store that holds the chain and what was found out about its contracts. */
async function withChain(intended: readonly IntendedBlock[], found: Findings, check: (store: Store, chain: EvmChain) => Promise<void>) {
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  try {
    const indexed = new IndexedRows();
    for (const block of makeChain(intended)) indexed.project(block);
    const verdict = (token: string, value: number) => ({
      table: evmTokenChecks,
      key: { chain: CHAIN, token },
      value: { verdict: value, height: 0n, samples: 1, checkedAt: 0n },
    });
    await store.commit([
      ...indexed.view.drain(),
      ...found.lying.map((token) => verdict(token, 1)),
      ...found.lying.map((token) => ({ table: evmLyingTokens, key: { chain: CHAIN, token }, value: {} })),
      ...found.fake.map((token) => verdict(token, 2)),
    ]);
    const labels = {
      ...silentLabels,
      token: (token: string) => (found.malicious.includes(token) ? { reputation: "Malicious" as const } : undefined),
    };
    await check(store, evmChain({ rpc: modelRpc(nodeAnswer), labels }));
  } finally {
    await store.close();
  }
}

function shown(items: readonly Record<string, unknown>[]): string[] {
  return items.map(({ address, tokenId = "0", balance = "1" }) => `${String(address).slice(2).toLowerCase()} ${tokenId} ${balance}`);
}

test("Every list of balances is what plain loops find, now and after each block, whatever the size of its pages", async () => {
  await fc.assert(
    fc.asyncProperty(intendedChain, findings, fc.integer({ min: 1, max: 4 }), fc.boolean(), (intended, found, pageSize, filters) =>
      withChain(intended, found, async (store, chain) => {
        const expectation = new Expectation(oraclesOf(intended), {
          ...found,
          fake: found.fake.filter((token) => !found.lying.includes(token)),
        });
        const asked = askedOf(chain);
        const newest = intended.length - 1;
        for (const holder of PEOPLE) {
          const params = { address: formatAddress(holder) };
          const size = { pageSize: `${pageSize}` };
          for (const at of [undefined, ...intended.keys()]) {
            const past = at === undefined ? {} : { blockNumber: `${at}` };
            const [height, isNow] = [at ?? newest, (at ?? newest) === newest];
            const coins = await walk(
              listErc20Balances,
              store,
              asked,
              { ...size, ...past, filterSpamTokens: `${filters}` },
              "erc20TokenBalances",
              params,
            );
            expect(shown(coins)).toEqual(expectation.balances(20, holder, height, { hidesMalicious: filters, isNow }));
            const multi = await walk(listErc1155Balances, store, asked, { ...size, ...past }, "erc1155TokenBalances", params);
            expect(shown(multi)).toEqual(expectation.balances(55, holder, height, { hidesMalicious: false, isNow }));
          }
          const nfts = await walk(listErc721Balances, store, asked, size, "erc721TokenBalances", params);
          expect(shown(nfts)).toEqual(expectation.nfts(holder));
          const both = await walk(listCollectibleBalances, store, asked, size, "collectibleBalances", params);
          const multi = expectation.balances(55, holder, newest, { hidesMalicious: false, isNow: true });
          expect(shown(both)).toEqual([...expectation.nfts(holder), ...multi]);
        }
      }),
    ),
    { numRuns: 40 },
  );
});

test("Named contracts narrow each list to what they have of it", async () => {
  await fc.assert(
    fc.asyncProperty(
      intendedChain,
      fc.subarray(TOKEN_LIST, { minLength: 1 }),
      fc.integer({ min: 1, max: 3 }),
      (intended, named, pageSize) =>
        withChain(intended, { lying: [], fake: [], malicious: [] }, async (store, chain) => {
          const asked = askedOf(chain);
          const { indebted } = oraclesOf(intended).at(-1)!;
          for (const holder of PEOPLE) {
            const params = { address: formatAddress(holder) };
            const size = { pageSize: `${pageSize}` };
            for (const at of [intended.length - 1, intended.length >> 1]) {
              const past = { blockNumber: `${at}` };
              const all = shown(await walk(listErc20Balances, store, asked, past, "erc20TokenBalances", params));
              // what the contract itself is asked, it is asked whether it ever told of the address or not
              const wanted = [...named].sort().flatMap((token) => {
                if (isNone(token)) return [];
                const told = indebted.has(token) && `${token} 0 ${truth(token, 0n, holder, BigInt(at)) ?? 0n}`;
                return told ? [told].filter((item) => !item.endsWith(" 0")) : all.filter((item) => item.startsWith(token));
              });
              const contractAddresses = named.map(formatAddress).join(", ,");
              const few = await walk(
                listErc20Balances,
                store,
                asked,
                { ...size, ...past, contractAddresses },
                "erc20TokenBalances",
                params,
              );
              expect(shown(few)).toEqual(wanted);
            }
            for (const [route, items] of [
              [listErc721Balances, "erc721TokenBalances"],
              [listErc1155Balances, "erc1155TokenBalances"],
              [listCollectibleBalances, "collectibleBalances"],
            ] as const) {
              const all = shown(await walk(route, store, asked, {}, items, params));
              const contractAddress = formatAddress(named[0]!);
              const few = await walk(route, store, asked, { ...size, contractAddress }, items, params);
              expect(shown(few)).toEqual(all.filter((item) => item.startsWith(named[0]!)));
            }
          }
        }),
    ),
    { numRuns: 40 },
  );
});

test("A token that lies is found behind a sum of nothing, before and after what is held besides", async () => {
  const [holder, other] = PEOPLE as [string, string];
  const move = (token: "plain" | "allIndexed" | "noneIndexed", from: string, to: string) => ({
    kind: "amount" as const,
    token,
    from,
    to,
    value: 1n,
  });
  const block = (...intents: ReturnType<typeof move>[]) => [{ from: holder, to: other, isSuccess: true, inputLength: 0, intents }];
  const received = block(move("plain", ZERO, holder), move("noneIndexed", ZERO, holder), move("allIndexed", ZERO, holder));
  const returned = block(move("plain", holder, ZERO), move("allIndexed", holder, ZERO));
  await withChain([received, returned], { lying: [TOKENS.plain, TOKENS.allIndexed], fake: [], malicious: [] }, async (store, chain) => {
    for (const pageSize of ["1", "2", "3", "4"]) {
      const held = await walk(listErc20Balances, store, askedOf(chain), { pageSize }, "erc20TokenBalances", {
        address: formatAddress(holder),
      });
      expect(shown(held)).toEqual([`${TOKENS.plain} 0 2`, `${TOKENS.noneIndexed} 0 1`, `${TOKENS.allIndexed} 0 2`]);
    }
  });
});

const HOLDER = PEOPLE[0]!;
const params = { address: formatAddress(HOLDER) };

function tokenAt(place: number): string {
  return place.toString(16).padStart(40, "0");
}

/** A store in which an address holds `count` tokens of each kind and held as many coins before. */
async function withHoldings(count: number, check: (reader: CountingReader, chain: EvmChain, store: Store) => Promise<void>) {
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  try {
    const places = Array.from({ length: count }, (_, place) => place);
    const coin = (place: number) => ({ chain: CHAIN, holder: HOLDER, kind: ERC20, token: tokenAt(place), tokenId: NO_TOKEN_ID });
    const nft = (kind: number) => (place: number) => ({ ...coin(place >> 3), kind, tokenId: tokenIdKey(BigInt(place & 7)) });
    const held = (key: ReturnType<typeof coin>, balance = 1n) => ({ table: evmHoldings, key, value: { balance } });
    const after = (key: ReturnType<typeof coin>, height: bigint, balance = 1n) => ({
      table: evmBalances,
      key: { ...key, height },
      value: { balance },
    });
    await store.commit([
      {
        table: evmChainStates,
        key: { chain: CHAIN },
        value: { height: 9n, hash: "00".repeat(32), timestamp: 0n, transactions: 0n, commits: 1n, hasTraces: true },
      },
      ...places.flatMap((place) => [held(coin(place)), held(nft(ERC721)(place)), held(nft(ERC1155)(place))]),
      ...places.flatMap((place) => [0n, 1n, 2n, 9n].map((height) => after(coin(place), height))),
      // what others hold lies on both sides
      ...[tokenAt(0), "ff".repeat(20)].map((holder) => held({ ...coin(0), holder, kind: ERC20 }, 7n)),
    ]);
    await check(new CountingReader(store), evmChain({ rpc: modelRpc(nodeAnswer) }), store);
  } finally {
    await store.close();
  }
}

const deep = (kind: TransferKind, tokenId = NO_TOKEN_ID): Position => ({ kind, token: tokenAt(kind === ERC20 ? 1500 : 187), tokenId });

test.each([
  ["ERC-20", listErc20Balances, {}, deep(ERC20)],
  ["ERC-721", listErc721Balances, {}, deep(ERC721, tokenIdKey(7n))],
  ["ERC-721 of one contract", listErc721Balances, { contractAddress: formatAddress(tokenAt(1)) }, undefined],
  ["ERC-1155", listErc1155Balances, {}, deep(ERC1155, tokenIdKey(7n))],
  ["collectible", listCollectibleBalances, {}, deep(ERC1155, tokenIdKey(7n))],
  [
    "named ERC-20",
    listErc20Balances,
    { contractAddresses: Array.from({ length: 20 }, (_, i) => formatAddress(tokenAt(i))).join() },
    undefined,
  ],
] as const)("A page of %s balances costs its own rows, wherever it lies among however many", async (_, route, query, after) => {
  const pageSize = 7;
  const costs = new Set<number>();
  for (const [count, position] of [
    [20, undefined],
    [2000, undefined],
    [2000, after],
  ] as const) {
    await withHoldings(count, async (reader, chain) => {
      const { body } = await ask(route, reader, askedOf(chain), { ...query, pageSize: `${pageSize}` }, { params, after: position });
      const [items] = Object.values(body).filter(Array.isArray);
      expect(items).toHaveLength(pageSize);
      costs.add(reader.reads);
    });
  }
  expect(costs.size).toBe(1);
  expect([...costs][0]).toBeLessThanOrEqual(6 * (pageSize + 1));
});

test.each([1, 2, 3, 5, 7, 100])("Pages of %i hold everything once, in order", async (pageSize) => {
  await withHoldings(20, async (reader, chain) => {
    const size = { pageSize: `${pageSize}` };
    const tokens = Array.from({ length: 20 }, (_, place) => `${tokenAt(place)} 0 1`);
    const nfts = Array.from({ length: 20 }, (_, place) => `${tokenAt(place >> 3)} ${place & 7} 1`);
    const all = async (route: AnyDataRoute, items: string) => shown(await walk(route, reader, askedOf(chain), size, items, params));
    expect(await all(listErc20Balances, "erc20TokenBalances")).toEqual(tokens);
    expect(await all(listErc721Balances, "erc721TokenBalances")).toEqual(nfts);
    expect(await all(listErc1155Balances, "erc1155TokenBalances")).toEqual(nfts);
    expect(await all(listCollectibleBalances, "collectibleBalances")).toEqual([...nfts, ...nfts]);
  });
});

test("Ten thousand tokens that lie cost a page of ERC-20 balances no more than the holder's own tokens do", async () => {
  await withHoldings(7, async (reader, chain, store) => {
    // the second time they are everywhere among the holder's own
    for (const from of [1_000_000, 0]) {
      const liars = Array.from({ length: 10_000 }, (_, i) => from + i);
      await store.commit(liars.map((place) => ({ table: evmLyingTokens, key: { chain: CHAIN, token: tokenAt(place) }, value: {} })));
      reader.rows = 0;
      const { body } = await ask(listErc20Balances, reader, askedOf(chain), { pageSize: "10" }, { params });
      expect(body.erc20TokenBalances).toHaveLength(7);
      expect(reader.rows).toBeLessThan(60);
    }
  });
});

const STRANGER = PEOPLE[1]!;

test.each(["no tokens at all", "tokens of which it has nothing"])(
  "An address that is given thousands of %s finds its own behind them, on pages of bounded cost",
  async (kind) => {
    await withHoldings(1, async (reader, chain, store) => {
      const isFake = kind === "no tokens at all";
      const places = Array.from({ length: 9000 }, (_, i) => i + 1);
      const key = (place: number) => ({ chain: CHAIN, holder: STRANGER, kind: ERC20, token: tokenAt(place), tokenId: NO_TOKEN_ID });
      const check = { verdict: isFake ? 2 : 1, height: 0n, samples: 1, checkedAt: 0n };
      await store.commit([
        ...[...places, 10_000].map((place) => ({ table: evmHoldings, key: key(place), value: { balance: 5n } })),
        ...places.map((place) => ({ table: evmTokenChecks, key: { chain: CHAIN, token: tokenAt(place) }, value: check })),
      ]);
      let questions = 0;
      const rpc = modelRpc(({ method }) => {
        if (method === "eth_call") questions++;
        return `0x${"0".repeat(64)}`;
      });
      const found: unknown[] = [];
      let after: Position | undefined;
      let most = { rows: 0, questions: 0, pages: 0 };
      do {
        [reader.rows, questions] = [0, 0];
        const at = { params: { address: formatAddress(STRANGER) }, after };
        const { body, next } = await ask(listErc20Balances, reader, askedOf({ ...chain, rpc }), { pageSize: "10" }, at);
        found.push(...(body.erc20TokenBalances as unknown[]));
        most = { rows: Math.max(most.rows, reader.rows), questions: Math.max(most.questions, questions), pages: most.pages + 1 };
        after = next;
      } while (after !== undefined);
      expect(found).toHaveLength(1);
      expect(most.rows).toBeLessThan(20_000);
      expect(most.questions).toBeLessThanOrEqual(isFake ? 0 : 1000);
      expect(most.pages).toBeGreaterThan(1);
    });
  },
);

test("A page of past balances ends early behind thousands of tokens that were first held later", async () => {
  await withHoldings(0, async (reader, chain, store) => {
    const key = (place: number) => ({ chain: CHAIN, holder: HOLDER, kind: ERC20, token: tokenAt(place), tokenId: NO_TOKEN_ID });
    const places = Array.from({ length: 9000 }, (_, place) => place);
    await store.commit(
      [...places.map((place) => [place, 6n] as const), [10_000, 1n] as const].map(([place, height]) => {
        return { table: evmBalances, key: { ...key(place), height }, value: { balance: 1n } };
      }),
    );
    const pages: number[] = [];
    let after: Position | undefined;
    do {
      reader.rows = 0;
      const { body, next } = await ask(listErc20Balances, reader, askedOf(chain), { pageSize: "10", blockNumber: "5" }, { params, after });
      pages.push((body.erc20TokenBalances as unknown[]).length);
      expect(reader.rows).toBeLessThan(10_000);
      after = next;
    } while (after !== undefined);
    expect(pages.reduce((sum, items) => sum + items)).toBe(1);
    expect(pages.length).toBeGreaterThan(1);
  });
});

test("A page of past balances costs two reads for each token that was ever held between its first and its last", async () => {
  await withHoldings(2000, async (reader, chain) => {
    const query = { pageSize: "7", blockNumber: "5" };
    const { body } = await ask(listErc20Balances, reader, askedOf(chain), query, { params, after: deep(ERC20) });
    expect(body.erc20TokenBalances).toHaveLength(7);
    expect(reader.reads).toBeLessThanOrEqual(8 * (7 + 1));
  });
});
