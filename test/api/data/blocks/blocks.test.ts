import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { Value } from "typebox/value";
import { describe, expect, test } from "vitest";
import { getBlock } from "../../../../src/api/data/blocks/get-block.ts";
import { listBlocksOfNode } from "../../../../src/api/data/blocks/list-blocks-of-node.ts";
import { listLatestBlocks } from "../../../../src/api/data/blocks/list-latest-blocks.ts";
import { blockSchema } from "../../../../src/api/data/blocks/schemas.ts";
import type { Position } from "../../../../src/api/data/context.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, primaryChains, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { openStore } from "../../../../src/store/open.ts";
import { NODES, RandomTransactions } from "../../../index/primary/transactions/random-transactions.ts";
import { type ModelBlock, proposerId, someId, TransactionWorld } from "../../../index/primary/transactions/transaction-world.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { ask, walk } from "../staking/request.ts";
import { expectMembers, words } from "../transactions/members.ts";
import { type Item, useRecording } from "../transactions/recorded.ts";

async function inWorld(seed: number, hold: (world: TransactionWorld, random: RandomTransactions) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "firn-blocks-"));
  const world = new TransactionWorld(await openStore({ directory, mode: "write" }));
  try {
    const random = new RandomTransactions(world, seed);
    await random.grow(120);
    await hold(world, random);
  } finally {
    await world.store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Newest first; those of one second by height. */
function newestFirst(blocks: readonly ModelBlock[]): ModelBlock[] {
  return blocks.toSorted((a, b) => Number(b.timestamp - a.timestamp) || Number(b.height - a.height));
}

const shown = ({ chain, height, blockId, txIds }: ModelBlock) => ({
  blockNumber: `${height}`,
  blockHash: chain === C_CHAIN ? `0x${blockId}` : formatId(blockId),
  txCount: txIds.length,
  transactions: txIds.map(formatId),
});

const picked = ({ blockNumber, blockHash, txCount, transactions }: Record<string, unknown>) => ({
  ...{ blockNumber, blockHash, txCount, transactions },
});

test("blocks of a chain and of a node are what loops find, between any times, in pages of any size", async () => {
  await inWorld(31, async ({ blocks, store }) => {
    const time = fc.option(fc.integer({ min: 98, max: Number(blocks.at(-1)!.timestamp) + 2 }), { nil: undefined });
    const queries = fc.record({
      chain: fc.constantFrom(...primaryChains),
      proposer: fc.option(fc.constantFrom(...NODES, "nobody"), { nil: undefined }),
      ...{ start: time, end: time },
      pageSize: fc.integer({ min: 1, max: 20 }),
    });
    const hold = async ({ chain, proposer, start, end, pageSize }: typeof queries extends fc.Arbitrary<infer Q> ? Q : never) => {
      const query = {
        pageSize: `${pageSize}`,
        ...(start !== undefined && { startTimestamp: `${start}` }),
        ...(end !== undefined && { endTimestamp: `${end}` }),
      };
      const asked = { network, clock: 0n, chain };
      const found = blocks.filter((block) => {
        if (block.chain !== chain || (proposer ?? block.proposer) !== block.proposer) return false;
        return block.timestamp >= BigInt(start ?? 0) && (end === undefined || block.timestamp < BigInt(end));
      });
      const items =
        proposer === undefined
          ? await walk(listLatestBlocks, store, asked, query, "blocks")
          : await walk(listBlocksOfNode, store, asked, query, "blocks", { nodeId: formatNodeId(proposerId(proposer)) });
      expect(items.map(picked)).toEqual(newestFirst(found).map(shown));
    };
    await fc.assert(fc.asyncProperty(queries, hold), { numRuns: 120 });
  });
});

test("a walk while blocks are added shows every block that was there exactly once", async () => {
  await inWorld(32, async ({ blocks, store }, random) => {
    for (const chain of primaryChains) {
      const before = newestFirst(blocks.filter((block) => block.chain === chain)).map((block) => shown(block).blockHash);
      const seen: unknown[] = [];
      let after: Position | undefined;
      do {
        const { body, next } = await ask(listLatestBlocks, store, { network, clock: 0n, chain }, { pageSize: "5" }, { after });
        seen.push(...(body.blocks as Item[]).map(({ blockHash }) => blockHash));
        after = next;
        await random.grow(3);
      } while (after !== undefined);
      expect(seen).toEqual(before);
    }
  });
});

const MEMBERS = words("blockNumber blockHash parentHash blockTimestamp blockType txCount transactions blockSizeBytes");
const PROPOSER = words("proposerId proposerParentId proposerNodeId proposerPChainHeight proposerTimestamp");

describe.each(["eras-1", "p-eras-old", "x-dag"] as const)("blocks of %s", (name) => {
  const recorded = useRecording(name);
  const chains: readonly PrimaryChain[] = name === "eras-1" ? primaryChains : name === "p-eras-old" ? [P_CHAIN] : [X_CHAIN];

  test.each(chains)("of chain %i have the members of their kind, follow one another, and are found by height and hash", async (chain) => {
    const { items } = await recorded.walk(listLatestBlocks, chain, "blocks");
    expect(items.length).toBeGreaterThan(3);
    for (const [i, block] of items.entries()) {
      expectMembers(block, MEMBERS, ["l1ValidatorsAccruedFees", "activeL1Validators", "currentSupply", "proposerDetails"]);
      expect(Value.Check(blockSchema, block)).toBe(true);
      expect("currentSupply" in block).toBe(chain === P_CHAIN);
      expect("activeL1Validators" in block).toBe("l1ValidatorsAccruedFees" in block);
      expect(block.transactions.length).toBe(block.txCount);
      if (block.proposerDetails) expectMembers(block.proposerDetails, [], PROPOSER);
      const parent = items[i + 1];
      if (parent === undefined) expect(block.blockNumber).toBe("0");
      else expect(block).toMatchObject({ parentHash: parent.blockHash, blockNumber: `${Number(parent.blockNumber) + 1}` });
      if (i % 9 > 0) continue;
      for (const blockId of [block.blockNumber, block.blockHash]) {
        expect((await recorded.ask(getBlock, chain, { params: { blockId } })).body).toEqual(block);
      }
    }
    const kinds = new Set(items.map(({ blockType }) => blockType));
    if (chain === C_CHAIN) expect(kinds).toEqual(new Set(["Standard"]));
    if (chain === X_CHAIN) expect(kinds).toEqual(new Set(["StandardBlock"]));
    if (chain !== P_CHAIN) return;
    const old = words(
      "ApricotProposalBlock ApricotCommitBlock ApricotAbortBlock ApricotStandardBlock ApricotAtomicBlock BanffStandardBlock",
    );
    const late = words("BanffProposalBlock BanffCommitBlock BanffStandardBlock");
    for (const kind of name === "p-eras-old" ? old : late) expect([...kinds]).toContain(kind);
  });

  // the others have blocks without wrappers
  const wrapped = name === "eras-1" ? primaryChains : [];
  test.each(wrapped)("of a proposer on chain %i are those that it signed", async (chain) => {
    const { items } = await recorded.walk(listLatestBlocks, chain, "blocks");
    const proposerOf = ({ proposerDetails }: Item) => proposerDetails?.proposerNodeId;
    const nodes = new Set(items.map(proposerOf).filter((node) => node !== undefined));
    expect(nodes.size).toBeGreaterThan(0);
    for (const nodeId of nodes) {
      const own = await recorded.walk(listBlocksOfNode, chain, "blocks", { params: { nodeId } });
      expect(own.items).toEqual(items.filter((block) => proposerOf(block) === nodeId));
    }
  });

  test.each(chains)("of chain %i that do not exist are not found, and what names none is malformed", async (chain) => {
    const hash = chain === C_CHAIN ? `0x${someId("no block")}` : formatId(someId("no block"));
    for (const [blockId, status] of [
      ["99999999", 404],
      ["99999999999999999999", 404],
      [hash, 404],
      ["latest", 400],
      [chain === C_CHAIN ? formatId(someId("no block")) : `0x${someId("no block")}`, 400],
      ["-1", 400],
    ] as const) {
      await expect(recorded.ask(getBlock, chain, { params: { blockId } }), blockId).rejects.toMatchObject({ status });
    }
  });
});
