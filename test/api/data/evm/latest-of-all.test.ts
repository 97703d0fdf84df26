/** Compares lists across chains with a simple sort, page by page: chains with equal times, chains that lag, chains without a block. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { listLatestBlocksAllChains } from "../../../../src/api/data/evm/blocks/list-latest-blocks-of-all.ts";
import type { EvmChain } from "../../../../src/api/data/evm/evm-chain.ts";
import { listLatestTransactionsAllChains } from "../../../../src/api/data/evm/transactions/list-latest-transactions-of-all.ts";
import type { EvmBlock } from "../../../../src/sources/evm/parser/block.ts";
import { type IntendedBlock, intendedChain, makeChain } from "../../../evm/decode/intents.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { ask, walk } from "../staking/request.ts";
import { evmChain } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";

interface TimedChain {
  readonly blocks: readonly IntendedBlock[];
  /** seconds between blocks; 0: all at once */
  readonly steps: readonly number[];
}

const timedChain: fc.Arbitrary<TimedChain> = fc.record({
  blocks: fc.oneof({ weight: 4, arbitrary: intendedChain }, { weight: 1, arbitrary: fc.constant([]) }),
  steps: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 8, maxLength: 8 }),
});

/** Numbers in keys and chain IDs run in opposite directions. */
const chainAt = (position: number): EvmChain => {
  const chain = evmChain({ chain: 10 - position, evmChainId: BigInt(100 + position) });
  return { ...chain, settings: { ...chain.settings, isTestnet: position % 2 === 0 } };
};

function timed({ blocks, steps }: TimedChain): EvmBlock[] {
  let timestamp = 1_700_000_000n;
  return makeChain(blocks).map((block, index) => {
    timestamp += BigInt(steps[index % steps.length]!);
    return { ...block, timestamp };
  });
}

interface Item {
  readonly timestamp: bigint;
  readonly evmChainId: bigint;
  readonly height: bigint;
  readonly index: number;
  readonly text: string;
}

function newestFirst(a: Item, b: Item): number {
  if (a.timestamp !== b.timestamp) return a.timestamp > b.timestamp ? -1 : 1;
  if (a.evmChainId !== b.evmChainId) return a.evmChainId < b.evmChainId ? -1 : 1;
  if (a.height !== b.height) return a.height > b.height ? -1 : 1;
  return b.index - a.index;
}

interface Case {
  readonly chains: readonly { readonly evmChain: EvmChain; readonly blocks: readonly EvmBlock[] }[];
  /** every list, as text, in the order of the answers */
  itemsOf(kind: "blocks" | "transactions", isListed: (chain: EvmChain) => boolean): string[];
}

function caseOf(made: readonly TimedChain[]): Case {
  const chains = made.map((chain, position) => ({ evmChain: chainAt(position), blocks: timed(chain) }));
  return {
    chains,
    itemsOf(kind, isListed) {
      const items = chains.flatMap(({ evmChain: { evmChainId, ...chain }, blocks }) => {
        if (!isListed({ evmChainId, ...chain })) return [];
        return blocks.flatMap(({ height, timestamp, transactions }): Item[] => {
          const place = { timestamp, evmChainId, height };
          if (kind === "blocks") return [{ ...place, index: 0, text: `${evmChainId} ${height}` }];
          return transactions.map(({ index }) => ({ ...place, index, text: `${evmChainId} ${height} ${index}` }));
        });
      });
      return items.sort(newestFirst).map(({ text }) => text);
    },
  };
}

const shownBlock = ({ chainId, blockNumber }: Record<string, unknown>) => `${chainId} ${blockNumber}`;
const shownTransaction = ({ chainId, blockNumber, blockIndex }: Record<string, unknown>) => `${chainId} ${blockNumber} ${blockIndex}`;

test("Blocks and transactions of all chains are in order of time, on pages of any size, of one network or of both", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(timedChain, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom(undefined, "mainnet", "testnet"),
      async (made, pageSize, wanted) => {
        const { chains, itemsOf } = caseOf(made);
        const evmChains = chains.map(({ evmChain: chain }) => chain);
        const unavailable = evmChains.slice(3);
        const asked = { network, clock: 0n, evmChains, unavailable };
        const query = { pageSize: `${pageSize}`, ...(wanted && { network: wanted }) };
        const isListed = ({ evmChainId, settings: { isTestnet } }: EvmChain) =>
          evmChainId < 103n && (wanted === undefined || isTestnet === (wanted === "testnet"));
        await withIndexedChains(new Map(chains.map(({ evmChain: { chain }, blocks }) => [chain, blocks])), async (store) => {
          const blocks = await walk(listLatestBlocksAllChains, store, asked, query, "blocks");
          expect(blocks.map(shownBlock)).toEqual(itemsOf("blocks", isListed));
          const transactions = await walk(listLatestTransactionsAllChains, store, asked, query, "transactions");
          expect(transactions.map(shownTransaction)).toEqual(itemsOf("transactions", isListed));
        });
      },
    ),
    { numRuns: 40 },
  );
});

test("A page behind the first one costs a search in each chain, and not what was passed", async () => {
  const long = Array.from({ length: 300 }, (): IntendedBlock => []);
  const { chains } = caseOf([0, 1, 2].map(() => ({ blocks: long, steps: [1] })));
  const asked = { network, clock: 0n, evmChains: chains.map(({ evmChain: chain }) => chain) };
  await withIndexedChains(new Map(chains.map(({ evmChain: { chain }, blocks }) => [chain, blocks])), async (store) => {
    let after: Parameters<typeof ask>[4] = {};
    for (;;) {
      const counted = new CountingReader(store);
      const { body, next } = await ask(listLatestBlocksAllChains, counted, asked, { pageSize: "10" }, after);
      expect((body.blocks as unknown[]).length).toBe(10);
      // 3 chains × (9 steps of a search, two ends, a chunk of 9)
      expect(counted.reads).toBeLessThan(75);
      if (next === undefined) break;
      after = { after: next };
    }
  });
});

test("A page that one chain fills is read on from it, whatever its share of a page would be", async () => {
  const blocks = Array.from({ length: 30 }, (): IntendedBlock => []);
  const { chains, itemsOf } = caseOf([10, 0, 0].map((step) => ({ blocks, steps: [step] })));
  const asked = { network, clock: 0n, evmChains: chains.map(({ evmChain: chain }) => chain) };
  await withIndexedChains(new Map(chains.map(({ evmChain: { chain }, blocks: made }) => [chain, made])), async (store) => {
    const found = await walk(listLatestBlocksAllChains, store, asked, { pageSize: "29" }, "blocks");
    expect(found.map(shownBlock)).toEqual(itemsOf("blocks", () => true));
  });
});
