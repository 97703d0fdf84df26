/** Compares tokens, their sums and their holders in generated chains with plain loops, page by page, and checks what a page costs. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Position } from "../../../../src/api/data/context.ts";
import { listNftHolders } from "../../../../src/api/data/evm/nfts/list-nft-holders.ts";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import { getChainToken } from "../../../../src/api/data/evm/tokens/get-token.ts";
import { listTokenHolders } from "../../../../src/api/data/evm/tokens/list-holders.ts";
import { listHoldersOverTime } from "../../../../src/api/data/evm/tokens/list-holders-over-time.ts";
import { listChainTokens } from "../../../../src/api/data/evm/tokens/list-tokens.ts";
import { responseWriter } from "../../../../src/api/data/response-writer.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import type { Change } from "../../../../src/base/table/table.ts";
import { ERC20, ERC721 } from "../../../../src/evm/facts.ts";
import { evmTokensByHeight } from "../../../../src/evm/index/holder-tables.ts";
import { evmContracts, evmTokens } from "../../../../src/evm/index/tables.ts";
import { evmContractMetadata, evmTokenChecks } from "../../../../src/evm/index/token-tables.ts";
import type { EvmBlock } from "../../../../src/sources/evm/parser/block.ts";
import { type Store, scanAll } from "../../../../src/store/store.ts";
import { type IntendedBlock, intendedChain, makeChain, PEOPLE, TOKENS, ZERO } from "../../../evm/decode/intents.ts";
import { type Holder, HoldingsOracle } from "../../../evm/index/holdings-oracle.ts";
import { CHAIN } from "../../../evm/index/indexed-rows.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { ask, walk } from "../staking/request.ts";
import { askedOf, evmChain } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many forms
type Json = Record<string, any>;

const asked = askedOf(evmChain());
const of = (address: string) => ({ address: formatAddress(address) });

/** As clients get it. */
async function answer(
  route: AnyDataRoute,
  store: Store,
  params: Record<string, string>,
  query: Record<string, string> = {},
  chain = asked,
) {
  const { body } = await ask(route, store, chain, query, { params });
  return JSON.parse(responseWriter(route.response)(body)) as Json;
}

const TYPES = new Map([
  [20, "ERC-20"],
  [21, "ERC-721"],
  [55, "ERC-1155"],
]);

/** The tokens as the index has classed them, newest first log first. */
async function met(store: Store): Promise<{ token: string; kind: number; height: bigint; hasDebts: boolean }[]> {
  const tokens = [];
  for await (const { key, value } of scanAll(store, evmTokens)) if (value.kind !== 0) tokens.push({ token: key.token, ...value });
  return tokens.sort((a, b) => (a.height === b.height ? (a.token > b.token ? -1 : 1) : Number(b.height - a.height)));
}

/** The newest creation of each contract. */
function deployments(chain: readonly EvmBlock[]): Map<string, object> {
  const made = new Map<string, object>();
  for (const { hash, from, frames } of chain.flatMap(({ transactions }) => transactions)) {
    for (const frame of frames) {
      if (frame.isReverted || !frame.type.startsWith("CREATE")) continue;
      const details = { txHash: `0x${hash}`, deployerAddress: formatAddress(from), deployerContractAddress: formatAddress(frame.from) };
      made.set(frame.to, { deploymentDetails: details });
    }
  }
  return made;
}

function shown(holders: readonly Holder[]) {
  return holders.map(({ holder, balance }) => ({ address: formatAddress(holder), balance: `${balance}` }));
}

describe("tokens of a chain and who holds them", () => {
  test("are those of plain loops over its blocks, whatever the size of the pages", async () => {
    await fc.assert(
      fc.asyncProperty(intendedChain, fc.integer({ min: 1, max: 4 }), (intended, pageSize) =>
        withIndexedChains(new Map([[CHAIN, makeChain(intended)]]), async (store) => {
          const oracle = new HoldingsOracle();
          for (const block of intended) oracle.block(block);
          const [holders, totals, tokens] = [oracle.holders(), oracle.totals(), await met(store)];
          const query = { pageSize: `${pageSize}` };
          const deployed = deployments(makeChain(intended));
          const expected = tokens.map(({ token, kind, height, hasDebts }) => {
            const sums = totals.get(token);
            const counts = { 20: [sums?.supply, sums?.holders], 21: [sums?.nfts, sums?.owners], 55: [sums?.units, undefined] }[kind]!;
            return {
              address: formatAddress(token),
              ercType: TYPES.get(kind),
              name: "",
              symbol: "",
              ...(kind === ERC20 && { decimals: 0 }),
              tokenReputation: null,
              supply: `${counts[0] ?? 0n}`,
              ...(kind !== 55 && { holderCount: Number(counts[1] ?? 0n) }),
              transferCount: Number(sums?.transfers ?? 0n),
              isExact: !hasDebts,
              firstBlockNumber: `${height}`,
              ...deployed.get(token),
            };
          });
          expect(await walk(listChainTokens, store, asked, query, "tokens")).toEqual(expected);
          for (const ercType of TYPES.values()) {
            const ofType = expected.filter((token) => token.ercType === ercType);
            expect(await walk(listChainTokens, store, asked, { ...query, ercType }, "tokens")).toEqual(ofType);
          }
          for (const [i, { token, kind, hasDebts }] of tokens.entries()) {
            expect(await answer(getChainToken, store, of(token))).toEqual(expected[i]);
            for (const tokenId of kind === 55 ? [0n, 1n, 2n ** 256n - 1n, 7n] : [undefined]) {
              const wanted = shown(holders.get(`${kind} ${token} ${tokenId ?? "-"}`) ?? []);
              const item = tokenId === undefined ? {} : { tokenId: `${tokenId}` };
              expect(await walk(listTokenHolders, store, asked, { ...query, ...item }, "holders", of(token))).toEqual(wanted);
              const whole = await answer(listTokenHolders, store, of(token), { ...item, pageSize: "100" });
              expect(whole).toEqual({ ercType: TYPES.get(kind), isExact: !hasDebts, holders: wanted });
            }
            if (kind !== ERC721) {
              await expect(answer(listNftHolders, store, of(token), { pageSize: "9" })).rejects.toMatchObject({ status: 404 });
              continue;
            }
            const owners = shown(holders.get(`${kind} ${token} -`) ?? []).map(({ address, balance }) => ({ address, sortKey: balance }));
            expect(await walk(listNftHolders, store, asked, query, "addresses", of(token))).toEqual(owners);
            const sums = totals.get(token);
            const numbers = { totalHolders: Number(sums?.owners ?? 0n), totalTokens: Number(sums?.nfts ?? 0n) };
            expect(await answer(listNftHolders, store, of(token), { pageSize: "5000" })).toEqual({ addresses: owners, ...numbers });
          }
        }),
      ),
      { numRuns: 40 },
    );
  });

  const mint = (token: "plain", to: string, value: bigint) => ({ kind: "amount" as const, token, from: ZERO, to, value });
  const block = (intents: IntendedBlock[number]["intents"]): IntendedBlock => [
    { from: PEOPLE[0]!, to: PEOPLE[1], isSuccess: true, inputLength: 0, intents },
  ];

  test("cost the rows of their page, wherever it is", async () => {
    const many = Array.from({ length: 300 }, (_, i) => mint("plain", (i + 1).toString(16).padStart(40, "0"), BigInt(i >> 1) + 1n));
    await withIndexedChains(new Map([[CHAIN, makeChain([block(many)])]]), async (store) => {
      const costs: number[] = [];
      let after: Position | undefined;
      do {
        const counted = new CountingReader(store);
        const { body, next } = await ask(listTokenHolders, counted, asked, { pageSize: "10" }, { params: of(TOKENS.plain), after });
        expect(body.holders).toHaveLength(10);
        costs.push(counted.reads);
        after = next;
      } while (after !== undefined);
      expect(costs).toHaveLength(30);
      expect(Math.max(...costs)).toBeLessThanOrEqual(10 + 6);
      const counted = new CountingReader(store);
      await ask(getChainToken, counted, asked, {}, { params: of(TOKENS.plain) });
      expect(counted.reads).toBeLessThanOrEqual(8);
    });
  });

  test("a page of tokens costs its rows, and ends early behind contracts that are none", async () => {
    const contracts = Array.from({ length: 3000 }, (_, i) => (i + 1).toString(16).padStart(40, "0"));
    await withIndexedChains(new Map([[CHAIN, makeChain([block([mint("plain", PEOPLE[0]!, 1n)])])]]), async (store) => {
      const row = { kind: ERC20, isWrapped: false, isClassed: false, hasDebts: false, height: 1n };
      const fakes = contracts.flatMap((token, i) => [
        { table: evmTokens, key: { chain: CHAIN, token }, value: row },
        { table: evmTokensByHeight, key: { chain: CHAIN, kind: ERC20, height: 1n, token }, value: {} },
        // the first third in the list are none
        ...(i >= 2000
          ? [{ table: evmTokenChecks, key: { chain: CHAIN, token }, value: { verdict: 2, height: 1n, samples: 1, checkedAt: 1n } }]
          : []),
      ]);
      await store.commit(fakes as Change[]);
      const found: string[] = [];
      let after: Position | undefined;
      let mostRows = 0;
      do {
        const counted = new CountingReader(store);
        const { body, next } = await ask(listChainTokens, counted, asked, { pageSize: "100" }, { after });
        found.push(...(body.tokens as { address: string }[]).map(({ address }) => address));
        mostRows = Math.max(mostRows, counted.reads);
        after = next;
      } while (after !== undefined);
      expect(found).toEqual([...contracts.slice(0, 2000).reverse(), TOKENS.plain].map(formatAddress));
      expect(mostRows).toBeLessThan(4000);
    });
  });

  test("are shown with what is known of them, and their amounts as inexact where transfers do not determine these", async () => {
    const { plain, multi, nft } = TOKENS;
    const intents: IntendedBlock[number]["intents"] = [
      mint("plain", PEOPLE[0]!, 5n),
      { kind: "multi", from: ZERO, to: PEOPLE[0]!, entries: [{ tokenId: 1n, value: 5n }], isBatch: false },
      { kind: "nft", token: "nft", from: ZERO, to: PEOPLE[1]!, tokenId: 9n },
    ];
    await withIndexedChains(new Map([[CHAIN, makeChain([block(intents)])]]), async (store) => {
      const said = { kind: ERC20, name: "Plain", symbol: "PLN", decimals: 6, checkedAt: 1n };
      const made = { height: 0n, index: 0, deployer: PEOPLE[2]!, factory: PEOPLE[3] };
      await store.commit([
        { table: evmContractMetadata, key: { chain: CHAIN, contract: plain }, value: said } as Change,
        { table: evmContracts, key: { chain: CHAIN, contract: plain }, value: made } as Change,
      ]);
      const priced = {
        ...evmChain(),
        labels: {
          ...evmChain().labels,
          token: () => ({ reputation: "Benign" as const, logoUri: "https://example.org/a.svg" }),
          price: () => 2,
        },
      };
      const shown = await answer(getChainToken, store, of(plain), {}, askedOf(priced));
      expect(shown).toMatchObject({
        name: "Plain",
        symbol: "PLN",
        decimals: 6,
        logoUri: "https://example.org/a.svg",
        price: { currencyCode: "usd", value: 2 },
        tokenReputation: "Benign",
        isExact: true,
        deploymentDetails: { deployerAddress: formatAddress(PEOPLE[2]!), deployerContractAddress: formatAddress(PEOPLE[3]!) },
      });
      expect(shown.deploymentDetails.txHash).toMatch(/^0x[0-9a-f]{64}$/);
      const late = askedOf(evmChain({ startBlock: 5n }));
      expect(await answer(listTokenHolders, store, of(plain), {}, late)).toMatchObject({ isExact: false });
      const check = (token: string, verdict: number) =>
        store.commit([
          { table: evmTokenChecks, key: { chain: CHAIN, token }, value: { verdict, height: 0n, samples: 1, checkedAt: 1n } } as Change,
        ]);
      await check(plain, 1);
      expect(await answer(getChainToken, store, of(plain))).toMatchObject({ isExact: false, supply: "5" });
      await check(plain, 2);
      await expect(answer(getChainToken, store, of(plain))).rejects.toMatchObject({ status: 404 });
      await expect(answer(listTokenHolders, store, of(plain))).rejects.toMatchObject({ status: 404 });
      await expect(answer(getChainToken, store, of(PEOPLE[0]!))).rejects.toMatchObject({ status: 404 });
      await expect(answer(listTokenHolders, store, of(multi))).rejects.toMatchObject({
        status: 400,
        message: expect.stringMatching(/add tokenId$/),
      });
      await expect(answer(listTokenHolders, store, of(multi), { tokenId: "x" })).rejects.toMatchObject({ status: 400 });
      await expect(answer(listTokenHolders, store, of(nft), { tokenId: "9" })).rejects.toMatchObject({
        status: 400,
        message: expect.stringMatching(/leave tokenId out$/),
      });
    });
  });

  test("holders of a span are those of whom some balance of it is enough, once, with what they hold now", async () => {
    await fc.assert(
      fc.asyncProperty(
        intendedChain,
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(1n, 3n, 2n ** 128n),
        fc.option(fc.integer({ min: -1, max: 9 }), { nil: undefined }),
        fc.option(fc.integer({ min: -1, max: 9 }), { nil: undefined }),
        (intended, pageSize, threshold, start, end) =>
          withIndexedChains(new Map([[CHAIN, makeChain(intended)]]), async (store) => {
            const oracle = new HoldingsOracle();
            // after each block, by holder
            const states = intended.map((one) => {
              oracle.block(one);
              return new Map(oracle.balances);
            });
            const time = (height: number | undefined) => (height === undefined ? undefined : `${1_700_000_000 + height}`);
            for (const { token, kind, hasDebts } of await met(store)) {
              if (kind !== ERC20 || hasDebts) continue;
              const at = (state: ReadonlyMap<string, bigint> | undefined, holder: string) => state?.get(`20 ${token} 0 ${holder}`) ?? 0n;
              const [first, last] = [Math.max(0, start ?? 0), Math.min(states.length, end ?? states.length) - 1];
              const isNow = start === undefined && end === undefined;
              const span = isNow ? states.slice(-1) : last < first ? [] : states.slice(Math.max(0, first - 1), last + 1);
              const before = !isNow && first === 0 && last >= first ? [undefined] : [];
              const wanted = [...PEOPLE].filter((holder) => [...before, ...span].some((state) => at(state, holder) >= threshold));
              const query = {
                ...{ threshold: `${threshold}`, pageSize: `${pageSize}` },
                ...(start !== undefined && { startTimestamp: time(start)! }),
                ...(end !== undefined && { endTimestamp: time(end)! }),
              };
              const found = (await walk(listHoldersOverTime, store, asked, query, "addresses", of(token))) as {
                address: string;
                sortKey: string;
              }[];
              const sorted = [...found].sort((a, b) => (a.address < b.address ? -1 : 1));
              const expected = wanted.map((holder) => ({ address: formatAddress(holder), sortKey: `${at(states.at(-1), holder)}` }));
              expect(sorted).toEqual(expected.sort((a, b) => (a.address < b.address ? -1 : 1)));
            }
          }),
      ),
      { numRuns: 60 },
    );
  });

  test("a page that passes many blocks without finding a holder ends early, and goes on behind them", async () => {
    const [ada, bob, carol] = PEOPLE as [string, string, string];
    const moved = (from: string, to: string, value: bigint): IntendedBlock => [
      { from, to, isSuccess: true, inputLength: 0, intents: [{ kind: "amount", token: "plain", from, to, value }] },
    ];
    // ada held 100 once; the 2,001 later blocks are about less
    const chain = [moved(ZERO, ada, 100n), moved(ada, bob, 60n), ...Array.from({ length: 2001 }, () => moved(ZERO, carol, 0n))];
    await withIndexedChains(new Map([[CHAIN, makeChain(chain)]]), async (store) => {
      const query = { threshold: "100", startTimestamp: "1700000000" };
      const params = of(TOKENS.plain);
      const first = await ask(listHoldersOverTime, store, asked, query, { params });
      expect(first.body.addresses).toEqual([]);
      const second = await ask(listHoldersOverTime, store, asked, query, { params, after: first.next! });
      expect(second).toMatchObject({ body: { addresses: [{ address: formatAddress(ada), sortKey: "40" }] }, next: undefined });
    });
  });
});
