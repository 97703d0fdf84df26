import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listLatestBlocks } from "../../src/api/data/blocks/list-latest-blocks.ts";
import { evmTips } from "../../src/chains/atomic/tables.ts";
import { entryOf } from "../../src/evm/chain-entry.ts";
import { findByHash } from "../../src/evm/index/read-parts.ts";
import { evmBlocks, evmChainSettings, evmChainStates, evmHoldings, evmUpstreams } from "../../src/evm/index/tables.ts";
import { completeSettings } from "../../src/evm/ingest/complete-settings.ts";
import { parseSettings } from "../../src/evm/settings-json.ts";
import { C_CHAIN } from "../../src/index/primary/primary-chain.ts";
import { openStore } from "../../src/store/open.ts";
import { ask } from "../api/data/staking/request.ts";
import { eventually } from "../patience.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { act, actNamed, killChild, restart, someActions } from "./anvil/evm-actions.ts";
import { EvmNetwork, FEES } from "./anvil/evm-network.ts";
import { startNetwork } from "./engine-network.ts";
import { forgetIndex, indexRows } from "./evm-rows.ts";

const BOB = "0x00000000000000000000000000000000000b0b01";
const CHAIN = { chain: 0 };

const placeOf = ({ devnet: { store } }: EvmNetwork, hash: string) => findByHash(store, CHAIN.chain, hash.slice(2));

async function indexedHeight({ devnet: { store } }: EvmNetwork): Promise<bigint | undefined> {
  return (await store.get(evmChainStates, CHAIN))?.height;
}

/** Once the child is there and what was missing is indexed. */
async function indexed(network: EvmNetwork): Promise<EvmNetwork> {
  const { store, network: instance } = network.devnet;
  await network.evm.ready();
  await eventually(async () => {
    const { height } = (await store.get(evmTips, { chainId: instance.cChainId }))!;
    return (await indexedHeight(network)) === height;
  });
  return network;
}

/** Indexed anew from what the child makes of the stored blocks. */
async function rowsOfFreshIndex(network: EvmNetwork, upgrades?: string): Promise<Map<string, unknown[]>> {
  await network.devnet.stop();
  const { devnet } = await startNetwork({ directory: network.directory });
  await forgetIndex(devnet.store);
  await devnet.stop();
  const again = await indexed(await restart(network, {}, upgrades));
  return indexRows(again.devnet.store);
}

describe("the index of a devnet's C-chain", () => {
  test("has genesis as soon as the EVM is there", async () => {
    const network = await EvmNetwork.start();
    expect(await indexedHeight(network)).toBeUndefined();
    await indexed(network);
    const genesis = (await network.ask("eth_getBlockByNumber", "0x0", false)) as { hash: string };
    expect(await network.devnet.store.get(evmBlocks, { ...CHAIN, height: 0n })).toMatchObject({ hash: genesis.hash.slice(2), txCount: 0 });
  });

  test.each(["cortina", "durango", "helicon"])(
    "tells the hash of block 0, which the Data API lists from then on, on %s",
    async (upgrade) => {
      const network = await EvmNetwork.start({ upgrades: upgrade });
      const { store, network: instance } = network.devnet;
      const listed = async () => (await ask(listLatestBlocks, store, { network: instance, clock: 0n, chain: C_CHAIN }, {})).body.blocks;
      await indexed(network);
      const { hash, timestamp } = (await network.ask("eth_getBlockByNumber", "0x0", false)) as { hash: string; timestamp: string };
      const genesis = { blockNumber: "0", blockHash: hash, blockTimestamp: Number(timestamp), txCount: 0, transactions: [] };
      expect(await listed()).toMatchObject([genesis]);
      await network.pay(BOB, 1n);
      expect(await listed()).toMatchObject([{ blockNumber: "1", parentHash: hash }, genesis]);
    },
  );

  test("has a transaction when its sender is answered", async () => {
    const network = await EvmNetwork.start();
    for (let i = 1; i <= 3; i++) {
      const hash = await network.pay(BOB, 1n);
      expect(await placeOf(network, hash)).toEqual({ height: BigInt(i), index: 0 });
    }
  });

  test("is at the chain's height in every committed state, whatever is issued and killed meanwhile", async () => {
    const network = await indexed(await EvmNetwork.start());
    const { store, network: instance } = network.devnet;
    let isOver = false;
    const heights = new Set<string>();
    const reader = (async () => {
      while (!isOver) {
        const [chain, index] = await store.snapshot(async (state) => [
          await state.get(evmTips, { chainId: instance.cChainId }),
          await state.get(evmChainStates, CHAIN),
        ]);
        heights.add(`${chain!.height} ${index!.height}`);
        await new Promise(setImmediate);
      }
    })();
    for (let i = 0; i < 24; i++) {
      if (i % 8 === 5) await killChild(network);
      await Promise.all([network.exportToC(1_000_000_000n), i % 3 === 0 ? network.importToC().catch(() => {}) : network.pay(BOB, 1n)]);
    }
    isOver = true;
    await reader;
    expect(heights.size).toBeGreaterThan(8);
    for (const pair of heights) expect(pair).toMatch(/^(\d+) \1$/);
  });

  test("is what one is that is made later of the same blocks, whatever happened", async () => {
    await fc.assert(
      fc.asyncProperty(someActions, someActions, someActions, async (first, second, third) => {
        const network = await indexed(await EvmNetwork.start({ directory: scratchDirectory() }, { evm: { blocksPerDump: 3 } }));
        await act(network, first);
        const snapshot = await network.devnet.snapshot();
        await act(network, second);
        await network.devnet.revert(snapshot);
        await killChild(network);
        await act(network, third);
        const restarted = await restart(network);
        await act(restarted, first);
        await indexed(restarted);
        const rows = await indexRows(restarted.devnet.store);
        expect(await rowsOfFreshIndex(restarted)).toEqual(rows);
      }),
      { numRuns: Number(process.env.FIRN_EVM_RUNS ?? 3) },
    );
  });

  test("is made of a network that was there before it, from its genesis and across its eras", async () => {
    const upgrades = "cortina,durango=+10m,etna=+20m";
    const network = await indexed(await EvmNetwork.start({ upgrades }));
    for (let era = 0; era < 3; era++) {
      await actNamed(network, "deploys a contract", "makes a token", "exports to C", "imports");
      await network.devnet.advanceTime(600n);
    }
    const rows = await indexRows(network.devnet.store);
    const transactions = rows.get("evm_transactions") as { value: { internals: number } }[];
    expect(transactions.reduce((sum, { value }) => sum + value.internals, 0)).toBe(3);
    expect(await rowsOfFreshIndex(network, upgrades)).toEqual(rows);
  });

  test("goes back with the network to a snapshot and on from there", async () => {
    const network = await indexed(await EvmNetwork.start());
    await actNamed(network, "makes a token");
    const snapshot = await network.devnet.snapshot();
    const before = await indexRows(network.devnet.store);
    const void1 = await network.pay(BOB, 1n);
    await actNamed(network, "makes a token", "makes what may be one token or another");
    await network.devnet.revert(snapshot);
    expect(await indexRows(network.devnet.store)).toEqual(before);
    expect(await placeOf(network, void1)).toBeUndefined();
    await actNamed(network, "makes a token");
    expect((await network.devnet.store.scan(evmHoldings, { limit: 10 })).map(({ value }) => value.balance).sort()).toEqual([1n, 2n]);
  });

  test("is made of a snapshot that was taken before there was an index", async () => {
    const network = await indexed(await EvmNetwork.start({ directory: scratchDirectory() }));
    await actNamed(network, "makes a token", "deploys a contract");
    const rows = await indexRows(network.devnet.store);
    const snapshot = await network.devnet.snapshot();
    const copy = await openStore({ directory: join(network.directory, "snapshots", snapshot), mode: "write" });
    await forgetIndex(copy);
    await copy.close();
    await network.pay(BOB, 1n);
    await network.devnet.revert(snapshot);
    expect(await indexRows((await indexed(network)).devnet.store)).toEqual(rows);
  });

  test("says what its chain is called after a revert to when nobody had said it", async () => {
    const network = await indexed(await EvmNetwork.start());
    const { store } = network.devnet;
    const snapshot = await network.devnet.snapshot();
    const settings = completeSettings(entryOf(["http://127.0.0.1:9650"]), { evmChainId: 43_112n, isAvalanche: true });
    await network.devnet.evmChain!.keep(settings);
    const kept = await store.get(evmChainSettings, CHAIN);
    expect(parseSettings(kept!.settings)).toMatchObject({ name: "Avalanche (C-Chain)" });
    await network.devnet.revert(snapshot);
    expect(await store.get(evmChainSettings, CHAIN)).toEqual(kept);
  });

  test("does not hold the chain up if a block cannot be indexed, says so, and has it after the next start", async () => {
    const network = await indexed(await EvmNetwork.start());
    await network.pay(BOB, 1n);
    const { blockAnswers } = network.evm;
    network.evm.blockAnswers = async (height) => ({ ...(await blockAnswers.call(network.evm, height)), receipts: [] });
    for (let i = 0; i < 2; i++) expect(await network.pay(BOB, 1n)).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await indexedHeight(network)).toBe(1n);
    expect(network.devnet.evmChain!.problem).toMatch("block 2 could not be indexed: ");
    expect(await network.devnet.store.get(evmUpstreams, CHAIN)).toMatchObject({
      problem: network.devnet.evmChain!.problem,
      headHeight: 2n,
    });
    const restarted = await indexed(await restart(network));
    expect(restarted.devnet.evmChain!.problem).toBeUndefined();
    expect(await restarted.devnet.store.get(evmUpstreams, CHAIN)).toBeUndefined();
  });

  test.each([
    ["before it said what it did", "granite", 2],
    ["after that, which is part of sealing where gas is charged by its limit", "helicon", 1],
  ])("keeps a sealed block whose child dies %s", async (_, upgrades, asked) => {
    const network = await indexed(await EvmNetwork.start({ upgrades }));
    const { blockAnswers } = network.evm;
    let deaths = 0;
    network.evm.blockAnswers = async (height) => {
      if (deaths++ === 0) await killChild(network);
      return blockAnswers.call(network.evm, height);
    };
    await network.exportToC(3_000_000_000n);
    const [hash] = await Promise.all([network.pay(BOB, 1n), network.importToC()]);
    expect(deaths).toBeGreaterThanOrEqual(asked);
    await network.evm.ready();
    expect(await network.ask("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
    await indexed(network);
    expect(await placeOf(network, hash)).toBeDefined();
    expect(await network.exported()).toEqual([]);
  });

  test("counts its blocks' time where blocks come at a pace, genesis too", async () => {
    const network = await indexed(await EvmNetwork.start({}, { blockTimeMs: 20 }));
    expect(await indexedHeight(network)).toBe(0n);
    await network.send(await network.sign({ ...FEES, type: "eip1559", nonce: 0, to: BOB, value: 1n, gas: 21_000n }));
    await eventually(async () => (await indexedHeight(network)) === 1n);
  });
});
