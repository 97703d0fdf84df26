/** Names that strangers chose: thousands of the same, invisible characters, right-to-left, very long ones. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { SearchResult } from "../../../../src/api/data/search/schemas.ts";
import { search } from "../../../../src/api/data/search/search.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { foldedName, nameKey, namePrefixRange } from "../../../../src/base/bytes/folded-name.ts";
import { View } from "../../../../src/base/table/view.ts";
import { assets } from "../../../../src/chains/asset/tables.ts";
import type { PrimaryFacts } from "../../../../src/index/primary/facts.ts";
import { blockchains } from "../../../../src/index/primary/network/network-tables.ts";
import { nameProjection } from "../../../../src/index/primary/network/subnet-projection.ts";
import { P_CHAIN, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { scratchDirectory } from "../../../store/scratch.ts";
import { ask } from "../staking/request.ts";

interface Named {
  readonly kind: "blockchain" | "asset";
  readonly name: string;
  readonly symbol?: string;
}

const latin1 = (text: string) => Buffer.from(text).toString("latin1");
const idOf = (index: number) => (index + 1).toString(16).padStart(64, "c");

/** Things in the order of their creation, with their rows as ingest writes them. */
async function withNames(things: readonly Named[], check: (found: (query: string) => Promise<SearchResult[]>) => Promise<void>) {
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  try {
    const view = new View();
    for (const [i, { kind, name, symbol = "" }] of things.entries()) {
      const thing = idOf(i);
      const created = { kind: "chain-created", chainId: thing, subnetId: "00".repeat(32), name: latin1(name), vmId: "00".repeat(32) };
      const unsigned = { kind: "CreateAssetTx", name: latin1(name), symbol: latin1(symbol) };
      const facts =
        kind === "blockchain"
          ? { chain: P_CHAIN, facts: { height: BigInt(i + 1), events: [created] } }
          : { chain: X_CHAIN, facts: { genesisTxs: [], txs: [{ txId: thing, index: BigInt(i), tx: { unsigned } }] } };
      nameProjection.project(view, facts as unknown as PrimaryFacts, [], network);
      if (kind === "asset") {
        view.writeUnread(
          assets,
          { chain: 0, assetId: thing },
          { name: latin1(name), symbol: latin1(symbol), denomination: 0, fxIndices: [] },
        );
      } else {
        const row = {
          height: BigInt(i + 1),
          timestamp: 0n,
          subnetId: created.subnetId,
          name: latin1(name),
          vmId: created.vmId,
          evmChainId: 0n,
        };
        view.writeUnread(blockchains, { chainId: thing }, row);
      }
    }
    await store.commit(view.drain());
    await check(async (query) => {
      const counted = new CountingReader(store);
      const { body } = await ask(search, counted, { network, clock: 0n }, { query });
      expect(counted.reads).toBeLessThan(300);
      return body.results as SearchResult[];
    });
  } finally {
    await store.close();
  }
}

test("the oldest of thousands with one name are shown, and other kinds of that name beside them", async () => {
  const crowd = Array.from({ length: 3000 }, (): Named => ({ kind: "blockchain", name: "AVAX" }));
  await withNames([...crowd, { kind: "asset", name: "Avalanche", symbol: "AVAX" }, { kind: "asset", name: "avax" }], async (found) => {
    const results = await found("avax");
    expect(results).toHaveLength(20);
    expect(results.slice(0, 3).map(({ kind, symbol }) => [kind, symbol])).toEqual([
      ["asset", "AVAX"],
      ["blockchain", undefined],
      ["asset", ""],
    ]);
    const blockchainIds = results.filter(({ kind }) => kind === "blockchain").map(({ id }) => id);
    expect(blockchainIds).toEqual(Array.from({ length: blockchainIds.length }, (_, i) => formatId(idOf(i))));
  });
});

test("A name is found by itself and by its beginning, whatever its case, width, spaces and invisible characters are", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ unit: fc.constantFrom("a", "A", "ä", "ß", "\u202e", "\u0000", "\u200b", " ", "\u05d0", "ﬁ", "𝔸"), maxLength: 150 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ kind: fc.constantFrom("blockchain", "asset"), name: text }), { maxLength: 12 }),
      fc.nat(),
      async (things, cut) => {
        await withNames(things as Named[], async (found) => {
          for (const [i, { name }] of things.entries()) {
            // what a well-formed text becomes in a transaction
            const folded = foldedName(Buffer.from(name).toString());
            if (folded === "" || name.length > 200) continue;
            const same = things.filter((other) => foldedName(Buffer.from(other.name).toString()) === folded);
            expect(same.length).toBeLessThan(20);
            expect((await found(name)).map(({ id }) => id)).toContain(formatId(idOf(i)));
            const beginning = [...folded].slice(0, 1 + (cut % folded.length)).join("");
            const all = await found(beginning);
            if (foldedName(beginning) === beginning) expect(all.map(({ id }) => id)).toContain(formatId(idOf(i)));
          }
        });
      },
    ),
    { numRuns: 30 },
  );
});

test("Keys of names have one length, are equal for equal names, and are in the range of every beginning", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(), (name, cut) => {
      const folded = foldedName(name);
      expect(foldedName(folded)).toBe(folded);
      expect(nameKey(folded)).toMatch(/^[0-9a-f]{64}$/);
      const { first, last } = namePrefixRange([...folded].slice(0, cut % (folded.length + 1)).join(""));
      expect(first <= nameKey(folded) && nameKey(folded) <= last).toBe(true);
    }),
  );
});
