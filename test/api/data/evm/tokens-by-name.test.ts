import fc from "fast-check";
import { expect, test } from "vitest";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import { tokensByName } from "../../../../src/api/data/evm/tokens/tokens-by-name.ts";
import { foldedName } from "../../../../src/base/bytes/folded-name.ts";
import { ERC20 } from "../../../../src/evm/facts.ts";
import { evmTokens } from "../../../../src/evm/index/tables.ts";
import { evmContractMetadata, evmTokenChecks } from "../../../../src/evm/index/token-tables.ts";
import type { TokenLabel } from "../../../../src/evm/labels/labels.ts";
import { LabelNames } from "../../../../src/evm/labels/open-labels.ts";
import { rowChange } from "../../../../src/evm/tokens/token-commits.ts";
import { nameChanges } from "../../../../src/evm/tokens/token-names.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../../../src/store/store.ts";
import { CHAIN } from "../../../evm/index/indexed-rows.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { scratchDirectory } from "../../../store/scratch.ts";
import { evmChain, silentLabels } from "./evm-chain.ts";

interface Named {
  readonly token: string;
  readonly height: bigint;
  readonly name?: string;
  readonly symbol?: string;
  /** no token, as it turned out */
  readonly isFake?: boolean;
}

const addressOf = (number: number) => number.toString(16).padStart(40, "0");
const column = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text).toString("latin1"));

async function withNames(tokens: readonly Named[], check: (store: Store) => Promise<void>): Promise<void> {
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  try {
    await store.commit(
      tokens.flatMap(({ token, height, name, symbol, isFake }) => {
        const metadata = { kind: ERC20, name: column(name), symbol: column(symbol), decimals: 6, checkedAt: 1n };
        return [
          rowChange(evmTokens, { chain: CHAIN, token }, { kind: ERC20, isWrapped: false, isClassed: false, hasDebts: false, height }),
          rowChange(evmContractMetadata, { chain: CHAIN, contract: token }, metadata),
          ...(isFake ? [rowChange(evmTokenChecks, { chain: CHAIN, token }, { verdict: 2, height, samples: 1, checkedAt: 1n })] : []),
          ...nameChanges(CHAIN, token, undefined, { height, metadata }),
        ];
      }),
    );
    await check(store);
  } finally {
    await store.close();
  }
}

function labelled(tokens: ReadonlyMap<string, TokenLabel>) {
  const names = new LabelNames(tokens);
  return { ...silentLabels, token: (token: string) => tokens.get(token), tokensNamed: names.beginningWith.bind(names) };
}

const find = (store: Store, text: string, { limit = 20, labels = silentLabels } = {}) =>
  tokensByName(foldedName(text), limit, { reader: store, evmChain: evmChain({ labels }) });

test("Tokens are found by the beginning of name or symbol, as a loop over all finds them", async () => {
  const name = fc.option(fc.string({ unit: fc.constantFrom("a", "B", "b", " ", "\u0000", "\u202e", "Ａ", "م"), maxLength: 40 }), {
    nil: undefined,
  });
  const named = fc.array(fc.record({ name, symbol: name, height: fc.bigInt({ min: 0n, max: 3n }), isFake: fc.boolean() }), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(named, fc.string({ unit: fc.constantFrom("a", "b", " ", "م"), minLength: 1, maxLength: 30 }), (drawn, query) => {
      const folded = foldedName(query);
      const tokens = drawn.map((each, i) => ({
        token: addressOf(i + 1),
        height: each.height,
        isFake: each.isFake,
        ...(each.name !== undefined && { name: each.name }),
        ...(each.symbol !== undefined && { symbol: each.symbol }),
      }));
      return withNames(tokens, async (store) => {
        if (folded === "") return;
        const wanted = tokens.filter(
          ({ name = "", symbol = "", isFake }) => !isFake && [name, symbol].some((each) => foldedName(each).startsWith(folded)),
        );
        const found = await find(store, query);
        expect(found.map(({ address }) => address).sort()).toEqual(wanted.map(({ token }) => formatAddress(token)).sort());
        const exact = wanted.filter(({ name = "", symbol = "" }) => [name, symbol].some((each) => foldedName(each) === folded));
        const order = exact.toSorted((a, b) => Number(a.height - b.height) || (a.token < b.token ? -1 : 1));
        expect(found.slice(0, exact.length).map(({ address }) => address)).toEqual(order.map(({ token }) => formatAddress(token)));
      });
    }),
    { numRuns: 60 },
  );
});

test("the first of thousands of tokens with one name are found, and the cost is bounded", async () => {
  const tokens = Array.from({ length: 3000 }, (_, i) => ({
    token: addressOf(5000 - i),
    height: BigInt(i),
    name: "USD Coin",
    symbol: "USDC",
  }));
  await withNames(tokens, async (store) => {
    const counted = new CountingReader(store);
    const found = await tokensByName("usdc", 20, { reader: counted, evmChain: evmChain() });
    expect(found).toEqual(
      tokens.slice(0, 20).map(({ token }) => ({ address: formatAddress(token), ercType: "ERC-20", name: "USD Coin", symbol: "USDC" })),
    );
    expect(counted.reads).toBeLessThan(200);
  });
});

test("However many tokens are none, or have other names behind the same beginning, the cost is bounded", async () => {
  const long = "a name that is longer than what a key has of it";
  const tokens = Array.from({ length: 3000 }, (_, i) => {
    return { token: addressOf(i + 1), height: BigInt(i), name: i % 2 === 0 ? "Fake" : `${long} ${i}`, isFake: i % 2 === 0 };
  });
  await withNames(tokens, async (store) => {
    for (const query of ["fake", `${long} 2999`, `${long} 4000`]) {
      const counted = new CountingReader(store);
      const found = await tokensByName(query, 20, { reader: counted, evmChain: evmChain() });
      expect(found.map(({ name }) => name)).toEqual(query.endsWith("2999") ? [`${long} 2999`] : []);
      expect(counted.reads).toBeLessThan(1500);
    }
  });
});

test("Names are found whatever is in them: 10,000 characters, right-to-left text, zero bytes, halves of characters", async () => {
  const names = ["x".repeat(10_000), "\u202eطلاق ذهب", "Zero\u0000Byte", "half \ud83d", "ＷＡＶＡＸ"];
  const tokens = names.map((name, i) => ({ token: addressOf(i + 1), height: 1n, name: name.slice(0, 256) }));
  await withNames(tokens, async (store) => {
    const queries = ["X".repeat(9000), "طلاق", "zerobyte", "half", "wavax"];
    for (const [i, query] of queries.entries()) {
      expect((await find(store, query)).map(({ address }) => address)).toEqual([formatAddress(addressOf(i + 1))]);
    }
  });
});

test("The operator's names count before the contracts', and tokens that the operator calls malicious are not found", async () => {
  const [old, listed, bad, unmet] = [1, 2, 3, 4].map(addressOf) as [string, string, string, string];
  const tokens = [old, listed, bad].map((token, i) => ({ token, height: BigInt(i), name: "Gold" }));
  const labels = labelled(
    new Map<string, TokenLabel>([
      [listed, { name: "Gold", symbol: "GLD", logoUri: "https://example.org/gold.svg", reputation: "Benign" }],
      [bad, { name: "Gold", reputation: "Malicious" }],
      [unmet, { name: "Gold of a token without transfers" }],
    ]),
  );
  await withNames(tokens, async (store) => {
    const found = await find(store, "gold", { labels });
    expect(found.map(({ address }) => address)).toEqual([listed, old].map(formatAddress));
    expect(found[0]).toMatchObject({ name: "Gold", symbol: "GLD", logoUri: "https://example.org/gold.svg" });
    expect((await find(store, "gld", { labels })).map(({ address }) => address)).toEqual([formatAddress(listed)]);
    // the contract's own name does not count beside the operator's
    const renamed = labelled(new Map([[old, { name: "Silver" }]]));
    expect((await find(store, "gold", { labels: renamed })).map(({ address }) => address)).toEqual([listed, bad].map(formatAddress));
  });
});
