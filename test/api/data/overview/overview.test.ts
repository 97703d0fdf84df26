/** Compares overviews with the lists of the Data API after each checkpoint of a recording, and with the blocks of made-up EVM chains. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { listLatestBlocks } from "../../../../src/api/data/blocks/list-latest-blocks.ts";
import type { EvmChain } from "../../../../src/api/data/evm/evm-chain.ts";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import { getOverview, MAX_SHOWN_CHAINS } from "../../../../src/api/data/overview/get-overview.ts";
import type { EvmChainOverview, PrimaryChainOverview } from "../../../../src/api/data/overview/schemas.ts";
import { listLatestTransactions } from "../../../../src/api/data/transactions/list-latest-transactions.ts";
import { CommittedStates } from "../../../../src/api/state/committed-states.ts";
import { KeptAnswers } from "../../../../src/api/state/kept-answers.ts";
import { primaryChains } from "../../../../src/index/primary/primary-chain.ts";
import { networkInstance } from "../../../../src/ingest/network-instance.ts";
import { standaloneNetwork } from "../../../../src/network/standalone.ts";
import { openArchive } from "../../../../src/sources/archives/archive.ts";
import type { EvmBlock } from "../../../../src/sources/evm/parser/block.ts";
import { openStore } from "../../../../src/store/open.ts";
import { checkpointsOf, importUntil } from "../../../conformance/checkpoints.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";
import { intendedChain, makeChain } from "../../../evm/decode/intents.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { network as testNetwork } from "../../../index/primary/utxos/utxo-world.ts";
import { startSmallNode } from "../../../serve/small-node.ts";
import { drawn } from "../../../share.ts";
import { evmChain } from "../evm/evm-chain.ts";
import { withIndexedChains } from "../evm/indexed-store.ts";
import { type Asked, ask } from "../staking/request.ts";

const NEWEST = 5;
const ALIASES = ["P", "X", "C"];

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

type Item = Readonly<Record<string, unknown>>;

test.each(drawn("that are told in an overview", ["latest-1", "eras-1", "x-dag"] as const, 1))(
  "%s: at each checkpoint it shows what the lists of blocks and transactions begin with",
  async (name) => {
    const directory = mkdtempSync(join(tmpdir(), "firn-overview-"));
    directories.push(directory);
    const { network } = await openArchive({ path: recordingFolder(name), instance: networkInstance });
    const kept = new KeptAnswers(2 ** 20);
    for (const { heights: until } of checkpointsOf(recordingFolder(name))) {
      await importUntil(recordingFolder(name), directory, until, "replay");
      const store = await openStore({ directory, mode: "read", network });
      const states = new CommittedStates(store, network, { kept: new KeptAnswers(0) });
      const chains = await states.use((state) => state.chains);
      const heights = ALIASES.map((alias) => chains.find((chain) => chain.alias === alias)?.height);
      const asked: Asked = { network, clock: 0n, heights, kept };
      const { body } = await ask(getOverview, store, asked, {});
      const overviews = body.chains as PrimaryChainOverview[];
      expect(overviews.map(({ alias, height }) => [alias, height])).toEqual(
        ALIASES.flatMap((alias, i) => (heights[i] === undefined ? [] : [[alias, `${heights[i]}`]])),
      );
      for (const chain of primaryChains.filter((one) => heights[one] !== undefined)) {
        const list = async (route: typeof listLatestBlocks | typeof listLatestTransactions, member: string) =>
          (await ask(route, store, { ...asked, chain, settings: { hasRealTypeNames: true } }, { pageSize: `${NEWEST}` })).body[
            member
          ] as Item[];
        const shown = overviews.find(({ alias }) => alias === ALIASES[chain])!;
        const blocks = (await list(listLatestBlocks, "blocks")).filter(({ blockNumber }) => chain !== 2 || blockNumber !== "0");
        expect(shown.blocks).toEqual(
          blocks.map(({ blockNumber, blockHash, blockTimestamp, blockType, txCount }) => ({
            ...{ blockNumber, blockHash, blockTimestamp, blockType, txCount },
          })),
        );
        const transactions = await list(listLatestTransactions, "transactions");
        expect(shown.transactions.map(({ txHash, txType, blockTimestamp }) => [txHash, txType, blockTimestamp])).toEqual(
          transactions.map(({ txHash, txType, blockTimestamp, timestamp }) => [txHash, txType, blockTimestamp ?? timestamp]),
        );
        const numbers = transactions.map(({ blockNumber, blockHeight }) => blockNumber ?? `${blockHeight ?? 0}`);
        expect(shown.transactions.map(({ blockNumber }) => blockNumber)).toEqual(numbers);
        expect(shown.timestamp).toBe(shown.blocks[0]?.blockTimestamp ?? shown.transactions[0]?.blockTimestamp);
      }
      const counted = new CountingReader(store);
      await ask(getOverview, counted, asked, {});
      expect(counted.reads).toBe(overviews.length);
      const anew = new CountingReader(store);
      await ask(getOverview, anew, { ...asked, kept: new KeptAnswers(2 ** 20) }, {});
      expect(anew.reads).toBeLessThanOrEqual(18 * overviews.length);
      await store.close();
    }
  },
);

function shownOf(chain: EvmChain, blocks: readonly EvmBlock[]): Partial<EvmChainOverview> {
  const newest = [...blocks].reverse();
  const transactions = newest.flatMap((block) => [...block.transactions].reverse().map((transaction) => ({ block, transaction })));
  return {
    evmChainId: `${chain.evmChainId}`,
    ...(newest[0] && { height: `${newest[0].height}`, timestamp: Number(newest[0].timestamp), baseFee: `${newest[0].baseFee}` }),
    blocks: newest.slice(0, NEWEST).map((block) => ({
      blockNumber: `${block.height}`,
      blockHash: `0x${block.hash}`,
      blockTimestamp: Number(block.timestamp),
      txCount: block.transactions.length,
      gasUsed: `${block.transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)}`,
    })),
    transactions: transactions.slice(0, NEWEST).map(({ block, transaction }) => ({
      txHash: `0x${transaction.hash}`,
      txStatus: transaction.isSuccess ? "1" : "0",
      blockNumber: `${block.height}`,
      blockTimestamp: Number(block.timestamp),
      from: formatAddress(transaction.from),
      to: expect.any(String) as unknown as string,
      value: `${transaction.value}`,
      method: expect.objectContaining({ callType: expect.any(String) }) as never,
    })),
  };
}

test("EVM chains show their newest blocks and transactions, also when parts of a shorter chain are kept", async () => {
  const chains = [7n, 5n, 6n].map((evmChainId, chain) => evmChain({ chain, evmChainId }));
  const inOrder = [chains[1]!, chains[2]!, chains[0]!];
  const kept = new KeptAnswers(2 ** 20);
  let generation = 0;
  const madeChain = fc.oneof({ weight: 5, arbitrary: intendedChain }, { weight: 1, arbitrary: fc.constant([]) });
  const cut = fc.record({ made: madeChain, known: fc.nat({ max: 8 }) });
  await fc.assert(
    fc.asyncProperty(fc.tuple(cut, cut, cut), async (cuts) => {
      const whole = cuts.map(({ made }) => makeChain(made));
      // the hashes of these blocks do not depend on what is in them
      const asked = { network: testNetwork, clock: 0n, evmChains: inOrder, kept, generation: ++generation };
      for (const blocks of [whole.map((chain, i) => chain.slice(0, cuts[i]!.known)), whole]) {
        await withIndexedChains(new Map(blocks.entries()), async (store) => {
          const { body } = await ask(getOverview, store, asked, {});
          expect(body).toMatchObject({ chains: [], isDevnet: false, clockOffset: 0, nftPictures: false, evmChainCount: 3 });
          expect(body.evmChains).toEqual(inOrder.map(({ chain }) => expect.objectContaining(shownOf(chains[chain]!, blocks[chain]!))));
          const [again, anew] = [new CountingReader(store), new CountingReader(store)];
          await ask(getOverview, again, asked, {});
          await ask(getOverview, anew, { ...asked, kept: new KeptAnswers(2 ** 20) }, {});
          expect(again.reads).toBe(3);
          expect(anew.reads).toBeLessThanOrEqual(3 * 18);
        });
      }
    }),
    { numRuns: 40 },
  );
});

test("A server of many EVM chains, without a primary network, shows the first 64 and says how many there are", async () => {
  const count = MAX_SHOWN_CHAINS + 6;
  const evmChains = Array.from({ length: count }, (_, chain) => evmChain({ chain, evmChainId: BigInt(1000 + chain) }));
  const fetching = evmChain({ chain: count, evmChainId: 3000n });
  const { settings } = fetching;
  evmChains.push({ ...fetching, settings: { ...settings, nfts: { ...settings.nfts, fetches: true } } });
  await withIndexedChains(new Map([[0, makeChain([[]])]]), async (store) => {
    const network = standaloneNetwork({ isTestnet: false });
    let listed = evmChains.slice(0, 1);
    const node = await startSmallNode({ store, network, evmChains: { of: async () => listed } });
    try {
      const first = await fetch(`http://127.0.0.1:${node.port}/v1/overview`);
      expect(await first.json()).toMatchObject({ evmChainCount: 1 });
      // the answer is of the state, and of the chains that are known
      listed = evmChains;
      const response = await fetch(`http://127.0.0.1:${node.port}/v1/overview`);
      expect(response.status).toBe(200);
      const body = (await response.json()) as { evmChains: { evmChainId: string; nftPictures: boolean; blocks: object[] }[] };
      expect(body).toMatchObject({ networkId: 1, networkName: "mainnet", hrp: "avax", chains: [], evmChainCount: count + 1 });
      expect(body).toMatchObject({ nftPictures: true });
      expect(body.evmChains.map(({ evmChainId }) => evmChainId)).toEqual(
        evmChains.slice(0, MAX_SHOWN_CHAINS).map(({ evmChainId }) => `${evmChainId}`),
      );
      expect(body.evmChains.map(({ nftPictures }) => nftPictures)).not.toContain(true);
      expect(body.evmChains.map(({ blocks }) => blocks.length).slice(0, 2)).toEqual([1, 0]);
    } finally {
      await node.remove();
    }
  });
});
