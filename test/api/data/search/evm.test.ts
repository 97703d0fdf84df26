/** Searches made-up EVM chains for everything in them, and counts the rows. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import type { SearchResult } from "../../../../src/api/data/search/schemas.ts";
import { search } from "../../../../src/api/data/search/search.ts";
import { LabelNames } from "../../../../src/evm/labels/open-labels.ts";
import type { Address } from "../../../../src/sources/evm/parser/block.ts";
import type { Store } from "../../../../src/store/store.ts";
import { intendedChain, makeChain } from "../../../evm/decode/intents.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { evmChain, silentLabels } from "../evm/evm-chain.ts";
import { withIndexedChains } from "../evm/indexed-store.ts";
import { ask } from "../staking/request.ts";

const named = (chain: number, evmChainId: bigint, name: string) => {
  const made = evmChain({ chain, evmChainId });
  return { ...made, settings: { ...made.settings, name } };
};
const CHAINS = [named(0, 43114n, "Avalanche C-Chain"), named(1, 7n, "Game"), named(2, 8n, "Gäme  two")];

async function found(store: Store, query: string, evmChains = CHAINS): Promise<SearchResult[]> {
  const counted = new CountingReader(store);
  const { body } = await ask(search, counted, { network, clock: 0n, evmChains }, { query });
  expect(counted.reads, query).toBeLessThan(150 + 30 * evmChains.length);
  return body.results as SearchResult[];
}

test("Transactions, blocks, heights and addresses of every chain are found, on all chains that have them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(intendedChain, intendedChain, intendedChain), async (made) => {
      const blocks = made.map((chain) => makeChain(chain));
      await withIndexedChains(new Map(blocks.entries()), async (store) => {
        const heights = Math.max(...blocks.map(({ length }) => length));
        for (let height = 0; height < heights; height++) {
          const wanted = CHAINS.flatMap(({ evmChainId }, i) => {
            const block = blocks[i]![height];
            return block === undefined ? [] : [[`${evmChainId}`, `0x${block.hash}`]];
          });
          const results = (await found(store, `${height}`)).filter(({ kind }) => kind === "block");
          expect(results.map(({ evmChainId, id }) => [evmChainId, id])).toEqual(wanted);
        }
        const places = (hash: string, kind: "block" | "transaction") =>
          CHAINS.flatMap(({ evmChainId }, i) =>
            blocks[i]!.filter((block) =>
              kind === "block" ? block.hash === hash : block.transactions.some((one) => one.hash === hash),
            ).map(({ height }) => ({ kind, evmChainId: `${evmChainId}`, id: `0x${hash}`, blockNumber: `${height}` })),
          );
        const seen = new Map<Address, Set<string>>();
        for (const [i, chain] of blocks.entries()) {
          for (const block of chain) {
            expect(await found(store, `0x${block.hash}`)).toMatchObject(places(block.hash, "block"));
            for (const transaction of block.transactions) {
              expect(await found(store, transaction.hash.toUpperCase())).toMatchObject(places(transaction.hash, "transaction"));
              seen.set(transaction.from, (seen.get(transaction.from) ?? new Set()).add(CHAINS[i]!.settings.name));
            }
          }
        }
        for (const [address, names] of seen) {
          const id = formatAddress(address);
          const results = await found(store, id);
          const own = results.find(({ kind }) => kind === "address")!;
          expect(own).toMatchObject({ id });
          for (const name of names) expect(own.hint).toContain(name);
        }
      });
    }),
    { numRuns: 15 },
  );
});

test("Chains are found by their IDs, and by their names and the beginnings of them", async () => {
  await withIndexedChains(new Map(), async (store) => {
    const ids = async (query: string) => (await found(store, query)).map(({ kind, id }) => `${kind} ${id}`);
    expect(await ids("43114")).toEqual(["evmChain 43114"]);
    expect(await ids("avalanche c-chain")).toEqual(["evmChain 43114"]);
    expect(await ids("game")).toEqual(["evmChain 7"]);
    expect(await ids("GÄME TWO")).toEqual(["evmChain 8"]);
    expect(await ids("g")).toEqual(["evmChain 7", "evmChain 8"]);
    expect(await ids("games")).toEqual([]);
  });
});

test("Accounts and contracts are found by what the operator calls them", async () => {
  await withIndexedChains(new Map(), async (store) => {
    const address = "ab".repeat(20);
    const called = new LabelNames(new Map([[address, { name: "Treasury" }]]));
    const labels = {
      ...silentLabels,
      name: (asked: Address) => (asked === address ? "Treasury" : undefined),
      addressesNamed: called.beginningWith.bind(called),
    };
    const evmChains = CHAINS.map((chain, i) => (i === 1 ? { ...chain, labels } : chain));
    const result = { kind: "address", evmChainId: "7", id: formatAddress(address), name: "Treasury" };
    for (const query of ["treasury", "TREAS"]) expect(await found(store, query, evmChains)).toEqual([result]);
    expect(await found(store, "treasurer", evmChains)).toEqual([]);
  });
});

test("A text that is too long is refused in a sentence", async () => {
  await withIndexedChains(new Map(), async (store) => {
    expect(await found(store, "x".repeat(200))).toEqual([]);
    await expect(found(store, "x".repeat(201))).rejects.toMatchObject({ status: 400, message: expect.stringContaining("200") });
    await expect(found(store, "")).rejects.toMatchObject({ status: 400 });
  });
});

test("20 of very many chains with the same blocks are shown, at a few rows each", async () => {
  const evmChains = Array.from({ length: 300 }, (_, chain) => named(chain, BigInt(1000 + chain), "Same"));
  const blocks = makeChain([[]]);
  await withIndexedChains(new Map(evmChains.map(({ chain }) => [chain, blocks])), async (store) => {
    for (const query of ["0", `0x${blocks[0]!.hash}`, "same", "0x".padEnd(42, "a1")]) {
      expect((await found(store, query, evmChains)).length).toBe(query.startsWith("0xa") ? 0 : 20);
    }
  });
});
