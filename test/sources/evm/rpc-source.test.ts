import { afterEach, describe, expect, test } from "vitest";
import { freePort } from "../../../bench/free-port.ts";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import type { RpcSourceSettings } from "../../../src/sources/evm/rpc-source.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { type ReplayOptions, type ReplayRpc, startReplayRpc } from "../../evm/replay-rpc/replay-rpc.ts";
import { eventually } from "../../patience.ts";
import { SourceFollower } from "./source-follower.ts";

const closing: (() => Promise<void>)[] = [];
const followed = (urls: readonly string[], settings?: Partial<RpcSourceSettings>, blocks?: readonly EvmBlock[]) => {
  const started = new SourceFollower(urls, settings, blocks);
  closing.push(() => started.stop());
  return started;
};
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function replay(options: Partial<ReplayOptions> = {}): Promise<ReplayRpc> {
  const node = await startReplayRpc({ recording: recordingFolder("evm-1"), ...options });
  closing.push(() => node.close());
  return node;
}

function hashes(blocks: readonly EvmBlock[]): string[] {
  return blocks.map(({ hash }) => `0x${hash}`);
}

function servedHashes(node: ReplayRpc): string[] {
  return node.blocks.map(({ block }) => block.hash);
}

describe("the source of a chain's RPC", () => {
  test("gives all blocks in order, then new ones as they come", async () => {
    const node = await replay({ head: 100 });
    const follower = followed([node.url]);
    await follower.untilIs(node);
    expect(hashes(follower.blocks)).toEqual(servedHashes(node));
    expect(follower.batches.every(({ blocks, head }) => blocks.length > 0 && head.height === 100n)).toBe(true);
    for (const head of [101, 103, 134]) {
      node.setHead(head);
      await follower.untilIs(node);
    }
    expect(hashes(follower.blocks)).toEqual(servedHashes(node));
    expect(follower.problems).toEqual([]);
  });

  test("starts at the block that is asked for, and goes on behind a tip", async () => {
    const node = await replay();
    const late = followed([node.url], { startBlock: 120n });
    await late.untilIs(node);
    expect(hashes(late.blocks)).toEqual(servedHashes(node).slice(120));
    const resumed = followed([node.url], { startBlock: 120n }, late.blocks.slice(0, 5));
    await resumed.untilIs(node);
    expect(hashes(resumed.blocks)).toEqual(servedHashes(node).slice(120));
    expect(resumed.batches[0]!.blocks[0]!.height).toBe(125n);
  });

  test("follows the tip by subscription over a WebSocket", async () => {
    const node = await replay({ head: 120 });
    // polls would come hours later
    const follower = followed([node.wsUrl], { pollMs: 3_600_000 });
    await follower.untilIs(node);
    for (let head = 121; head <= 134; head++) {
      node.setHead(head);
      await follower.untilIs(node);
    }
    expect(hashes(follower.blocks)).toEqual(servedHashes(node));
  });

  test("reads the same whatever methods a node has, and says when there are no traces", async () => {
    const [full, flat, bare] = [
      await replay(),
      await replay({ features: { blockReceipts: false, callTracer: false, traceBlock: true, batches: false } }),
      await replay({ features: { blockReceipts: false, callTracer: false } }),
    ];
    const followers = [full, flat, bare].map((node) => followed([node.url], { startBlock: 80n }));
    for (const follower of followers) await follower.untilIs(full);
    const [byFull, byFlat, byBare] = followers.map(({ blocks }) => blocks);
    const withoutGasOfFrames = (blocks: readonly EvmBlock[]) =>
      blocks.map((block) => ({
        ...block,
        transactions: block.transactions.map((transaction) => ({
          ...transaction,
          frames: transaction.frames.map(({ gasUsed, gasLimit, ...frame }) => frame),
        })),
      }));
    expect(withoutGasOfFrames(byFlat!)).toEqual(withoutGasOfFrames(byFull!));
    expect(byFull!.every(({ hasTraces }) => hasTraces)).toBe(true);
    expect(byFull!.flatMap(({ transactions }) => transactions.flatMap(({ frames }) => frames)).length).toBeGreaterThan(100);
    expect(byBare!.slice(20).every(({ hasTraces }) => !hasTraces)).toBe(true);
    expect(byBare!.flatMap(({ transactions }) => transactions.flatMap(({ frames }) => frames))).toEqual([]);
    const unasked = followed([full.url], { traces: false });
    const before = full.counts.get("debug_traceBlockByNumber");
    await unasked.untilIs(full);
    expect(full.counts.get("debug_traceBlockByNumber")).toBe(before);
  });

  test("takes from another upstream what the first one lacks", async () => {
    const untraced = await replay({ features: { callTracer: false, blockReceipts: false } });
    const traced = await replay();
    const follower = followed([untraced.url, traced.url]);
    await follower.untilIs(traced);
    expect(follower.blocks.every(({ hasTraces }) => hasTraces)).toBe(true);
    expect(untraced.counts.get("eth_getBlockByNumber")).toBeGreaterThan(100);
  });

  test("ends in a sentence where the node can trace, but no longer the blocks that are wanted", async () => {
    const node = await replay({ features: { tracedBlocks: 70 } });
    const follower = followed([node.url]);
    await expect(follower.ended).rejects.toMatchObject({
      code: "evm-traces-pruned",
      message: expect.stringContaining("set traces to false"),
    });
    const late = followed([node.url], { startBlock: 65n });
    await late.untilIs(node);
    expect(late.blocks.every(({ hasTraces }) => hasTraces)).toBe(true);
  });

  test("waits for a node that is gone, says so, and goes on when it is back", async () => {
    const port = await freePort();
    const node = await replay({ head: 60, port });
    const follower = followed([node.url]);
    await follower.untilIs(node);
    await node.close();
    await eventually(() => follower.problems.length > 0);
    expect(follower.problems[0]).toMatch(/cannot be reached|ended/);
    const back = await replay({ head: 70, port });
    await follower.untilIs(back);
    expect(hashes(follower.blocks)).toEqual(servedHashes(back));
  });

  test.each([
    ["http", 1],
    ["http", 2],
    ["ws", 3],
  ] as const)("reads the same from a node that answers badly (%s, seed %d)", async (protocol, seed) => {
    const faults = { seed, late: 0.05, inPieces: 0.1, rateLimited: 0.08, serverError: 0.08, wrongIds: 0.08, cutOff: 0.05, garbage: 0.05 };
    const node = await replay({ faults });
    const follower = followed([protocol === "ws" ? node.wsUrl : node.url]);
    await follower.untilIs(node);
    expect(hashes(follower.blocks)).toEqual(servedHashes(node));
  });
});

describe("a block that a node keeps back, though the chain has it", () => {
  const HEIGHT = 40;
  const METHODS = ["eth_getBlockByNumber", "eth_getBlockReceipts", "debug_traceBlockByNumber"];

  test.each(METHODS)("is asked of another node, by %s", async (method) => {
    const [bad, good] = [await replay({ features: { withheld: { height: HEIGHT, method } } }), await replay()];
    const follower = followed([bad.url, good.url]);
    await follower.untilIs(good);
    expect(hashes(follower.blocks)).toEqual(servedHashes(good));
    expect(good.counts.get(method)).toBeGreaterThan(0);
    expect(follower.problems).toEqual([]);
  });

  test.each(METHODS.slice(1))("is asked for in parts of the only node, if %s has nothing", async (method) => {
    const node = await replay({ features: { withheld: { height: HEIGHT, method } } });
    const calm = followed([(await replay()).url]);
    const follower = followed([node.url]);
    await Promise.all([follower.untilIs(node), calm.untilIs(node)]);
    expect(follower.blocks).toEqual(calm.blocks);
    expect(follower.problems).toEqual([]);
  });

  test("is told of at once if no node has it, and the chain goes on when one does", async () => {
    const port = await freePort();
    const bad = await replay({ port, features: { withheld: { height: HEIGHT, method: "eth_getBlockByNumber" } } });
    const follower = followed([bad.url]);
    await eventually(() => follower.problems.length > 1);
    expect(new Set(follower.problems)).toEqual(new Set([`the node has no answer for block ${HEIGHT}, which the chain has`]));
    expect(follower.blocks.length).toBe(HEIGHT);
    await bad.close();
    const node = await replay({ port });
    await follower.untilIs(node);
  });
});

describe("a branch in place of blocks", () => {
  test("comes in one batch, at any depth up to the allowed one and with all that it has beyond the tip", async () => {
    const node = await replay({ head: 80, recording: recordingFolder("evm-anvil-1") });
    const follower = followed([node.url]);
    await follower.untilIs(node);
    for (const [depth, length] of [
      [1, 1],
      [1, 2],
      [7, 7],
      [13, 14],
      [20, 30],
      [64, 65],
      [60, 120],
      [10, 4],
    ] as const) {
      const before = node.head;
      node.reorganise(depth, { length });
      const known = follower.batches.length;
      await follower.untilIs(node);
      expect(hashes(follower.blocks)).toEqual(servedHashes(node));
      const batches = follower.batches.slice(known).map(({ undoTo, blocks }) => ({ undoTo, blocks: blocks.length }));
      expect(batches).toEqual([{ undoTo: BigInt(before - depth), blocks: length }]);
    }
  });

  test("is found when the process starts again", async () => {
    const node = await replay({ head: 90 });
    const first = followed([node.url]);
    await first.untilIs(node);
    await first.stop();
    node.reorganise(9, { length: 30 });
    const second = followed([node.url], {}, first.blocks);
    await second.untilIs(node);
    expect(hashes(second.blocks)).toEqual(servedHashes(node));
    expect(second.batches[0]!.undoTo).toBe(81n);
  });

  test("may change again and again while it is read", async () => {
    const node = await replay({ head: 100, faults: { seed: 5, late: 0.2, cutOff: 0.1 } });
    const follower = followed([node.url]);
    for (let seed = 1; seed <= 12; seed++) {
      await follower.until((blocks) => blocks.length >= 8 * seed);
      node.reorganise(seed, { length: seed + (seed % 3) - 1, seed });
    }
    node.restore();
    await follower.untilIs(node);
    expect(hashes(follower.blocks)).toEqual(servedHashes(node));
  });

  test("that goes deeper than allowed ends the reading, in a sentence", async () => {
    const node = await replay({ head: 90 });
    const follower = followed([node.url], { maxReorgDepth: 8 });
    await follower.untilIs(node);
    node.reorganise(9);
    await expect(follower.ended).rejects.toMatchObject({
      code: "evm-reorg-too-deep",
      message: expect.stringContaining("raise maxReorgDepth"),
    });
    expect(follower.blocks.length).toBe(91);
  });

  test("that replaces even the first block is another chain, and that is said", async () => {
    const node = await replay({ head: 30 });
    const first = followed([node.url]);
    await first.untilIs(node);
    const indexed = first.blocks.map((block) => ({ ...block, hash: block.hash.split("").reverse().join("") }));
    const other = followed([node.url], {}, indexed);
    await expect(other.ended).rejects.toMatchObject({
      code: "evm-other-chain",
      message: expect.stringMatching(/^the RPC is of another chain: its genesis is not the indexed one \(0x[0-9a-f]{64}\); use a node of/),
    });
    expect(other.batches).toEqual([]);
    const late = followed([node.url], { startBlock: 5n, maxReorgDepth: 2 }, indexed.slice(5));
    await expect(late.ended).rejects.toThrow("its block 5 is not the indexed one");
  });

  test("that is only shorter is waited for: the node may be behind", async () => {
    const node = await replay({ head: 90 });
    const follower = followed([node.url]);
    await follower.untilIs(node);
    node.setHead(80);
    node.setHead(95);
    await follower.untilIs(node);
    expect(follower.batches.every(({ undoTo }) => undoTo === undefined)).toBe(true);
    expect(hashes(follower.blocks)).toEqual(servedHashes(node));
  });
});
