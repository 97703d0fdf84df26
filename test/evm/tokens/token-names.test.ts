import fc from "fast-check";
import { expect, test } from "vitest";
import { foldedName, nameKey } from "../../../src/base/bytes/folded-name.ts";
import type { TableValue } from "../../../src/base/table/table.ts";
import { ERC20 } from "../../../src/evm/facts.ts";
import { evmTokens } from "../../../src/evm/index/tables.ts";
import {
  evmContractMetadata,
  evmContractQueue,
  evmNamedTokens,
  evmTokenNames,
  evmTokenRevisions,
} from "../../../src/evm/index/token-tables.ts";
import { LabelNames } from "../../../src/evm/labels/open-labels.ts";
import { MetadataWork } from "../../../src/evm/tokens/metadata-work.ts";
import { rowChange } from "../../../src/evm/tokens/token-commits.ts";
import { type MetName, nameChanges } from "../../../src/evm/tokens/token-names.ts";
import { NameWork } from "../../../src/evm/tokens/token-service.ts";
import { asks, CHAIN, numberAnswer, textAnswer, type WorkBench, withWorkBench } from "./work-parts.ts";

const COIN = "c0".repeat(20);
const signal = new AbortController().signal;
const queued = (contract: string) => ({ chain: CHAIN, dueAt: 0n, contract });
const met = { kind: ERC20, isWrapped: false, isClassed: false, hasDebts: false };
const keyOf = (name: string, height = 7n, token = COIN) => ({ chain: CHAIN, name: nameKey(foldedName(name)), height, token });

async function asked(bench: WorkBench, name: string, symbol: string): Promise<void> {
  bench.answers.set(asks("name()", COIN), textAnswer(name));
  bench.answers.set(asks("symbol()", COIN), textAnswer(symbol));
  bench.answers.set(asks("decimals()", COIN), numberAnswer(6n));
  bench.answers.set(asks("balanceOf(address)", COIN), numberAnswer(0n));
  await bench.put(evmContractQueue, queued(COIN), {});
  await new MetadataWork(bench.parts).step(signal);
}

/** In the order of the table. */
function inOrder<K extends { name: string }>(keys: readonly K[]): K[] {
  return keys.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

test("A token is found by its name and its symbol from its first transfer on, by new ones once it has them, and no longer when it is gone", async () => {
  await withWorkBench(async (bench) => {
    await asked(bench, "USD Coin", "USDC");
    expect(await bench.keys(evmTokenNames)).toEqual([]);
    await bench.put(evmTokens, { chain: CHAIN, token: COIN }, { ...met, height: 7n });
    await asked(bench, "USD Coin", "USDC");
    expect(await bench.keys(evmTokenNames)).toEqual(inOrder([keyOf("usd coin"), keyOf("usdc")]));
    await asked(bench, "usdc", "USDC");
    expect(await bench.keys(evmTokenNames)).toEqual([keyOf("usdc")]);
    // a reorganisation moves its first transfer to a later block, and asks again
    await bench.put(evmTokens, { chain: CHAIN, token: COIN }, { ...met, height: 9n });
    await asked(bench, "usdc", "USDC");
    expect(await bench.keys(evmTokenNames)).toEqual([keyOf("usdc", 9n)]);
    await bench.put(evmTokens, { chain: CHAIN, token: COIN }, undefined);
    await bench.put(evmContractMetadata, { chain: CHAIN, contract: COIN }, undefined);
    await asked(bench, "usdc", "USDC");
    expect([await bench.keys(evmTokenNames), await bench.keys(evmNamedTokens)]).toEqual([[], []]);
  });
});

test("Names that an older Firn asked for are found once its store is opened, and one start later nothing is written", async () => {
  await withWorkBench(async (bench) => {
    const tokens = Array.from({ length: 1001 }, (_, i) => (i + 1).toString(16).padStart(40, "0"));
    const said = { kind: ERC20, symbol: undefined, decimals: undefined, checkedAt: 1n };
    await bench.store.commit(
      tokens.flatMap((token, i) => [
        rowChange(evmTokens, { chain: CHAIN, token }, { ...met, kind: i === 1 ? 0 : ERC20, height: BigInt(i) }),
        ...(i === 2 ? [] : [rowChange(evmContractMetadata, { chain: CHAIN, contract: token }, { ...said, name: `Token ${i}` })]),
      ]),
    );
    const all = async (work: NameWork) => {
      while (await work.step());
    };
    await all(new NameWork(bench.parts));
    const found = await bench.store.scan(evmTokenNames, { prefix: { chain: CHAIN }, limit: 5000 });
    const wanted = tokens.flatMap((token, i) => (i === 1 || i === 2 ? [] : [keyOf(`token ${i}`, BigInt(i), token)]));
    expect(found.map(({ key }) => key)).toEqual(inOrder(wanted));
    const revision = await bench.store.get(evmTokenRevisions, { chain: CHAIN });
    await all(new NameWork(bench.parts));
    expect(await bench.store.get(evmTokenRevisions, { chain: CHAIN })).toEqual(revision);
  });
});

const text = fc.option(fc.constantFrom("", "A", "a", "B", "\u0000", "C c"), { nil: undefined });
const metName: fc.Arbitrary<MetName | undefined> = fc.option(
  fc.record({ height: fc.constantFrom(1n, 2n), metadata: fc.record({ name: text, symbol: text }) }),
  { nil: undefined },
);

test("From whatever was known of a token to whatever is, its rows are those of what is", () => {
  fc.assert(
    fc.property(fc.array(metName, { minLength: 1, maxLength: 5 }), (history) => {
      let named: TableValue<typeof evmNamedTokens> | undefined;
      const names = new Set<string>();
      for (const now of history) {
        for (const { table, key, value } of nameChanges(CHAIN, COIN, named, now)) {
          if (table.id === evmNamedTokens.id) named = value as typeof named;
          else if (value === undefined) expect(names.delete(JSON.stringify(Object.values(key).map(String)))).toBe(true);
          else names.add(JSON.stringify(Object.values(key).map(String)));
        }
      }
      const last = history.at(-1);
      const texts = [last?.metadata.name, last?.metadata.symbol].map((each) => foldedName(each ?? "")).filter((each) => each !== "");
      const wanted = texts.map((each) => JSON.stringify(Object.values(keyOf(each, last!.height)).map(String)));
      expect([...names].sort()).toEqual([...new Set(wanted)].sort());
      expect(named === undefined).toBe(wanted.length === 0);
    }),
  );
});

test("The operator's tokens are found by the beginning of name or symbol, as a loop over all finds them", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "B", " ", "é"), maxLength: 4 });
  const labels = fc.uniqueArray(fc.tuple(fc.nat(50), name, name), { selector: ([token]) => token, maxLength: 12 });
  fc.assert(
    fc.property(labels, name, fc.integer({ min: 1, max: 20 }), (listed, wanted, limit) => {
      const folded = foldedName(wanted);
      fc.pre(folded !== "");
      const tokens = new Map(listed.map(([token, name, symbol]) => [token.toString(16).padStart(40, "0"), { name, symbol }]));
      const expected = [...tokens].filter(([, { name, symbol }]) => [name, symbol].some((each) => foldedName(each).startsWith(folded)));
      const found = new LabelNames(tokens).beginningWith(folded, limit);
      expect(found).toHaveLength(Math.min(limit, expected.length));
      expect(expected.map(([token]) => token)).toEqual(expect.arrayContaining(found));
      expect(new Set(found).size).toBe(found.length);
    }),
  );
});
