/** The C-chain since Helicon: a node accepts blocks before it executes them, and settles them later. Only executed blocks are taken. */
import { pino } from "pino";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { ComparedBlocks } from "../../../src/sources/evm/compared-blocks.ts";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { wholeBlock } from "../../../src/sources/evm/read-block.ts";
import type { RpcSourceSettings } from "../../../src/sources/evm/rpc-source.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { type ReplayOptions, type ReplayRpc, startReplayRpc } from "../../evm/replay-rpc/replay-rpc.ts";
import { SourceFollower } from "./source-follower.ts";

const RECORDING = recordingFolder("evm-helicon-1");
const HEAD = 60;
const log = pino({ level: "silent" });
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options: Partial<ReplayOptions> = {}): Promise<ReplayRpc> {
  const node = await startReplayRpc({ recording: RECORDING, head: HEAD, ...options });
  closing.push(() => node.close());
  return node;
}

/** Blocks are final. Every batch is noted with what its nodes have executed by then. */
function follow(nodes: readonly ReplayRpc[], urls = nodes.map(({ url }) => url), settings: Partial<RpcSourceSettings> = {}) {
  const tooEarly: string[] = [];
  const follower = new SourceFollower(urls, { maxReorgDepth: 0, ...settings }, [], ({ blocks }) => {
    const executed = Math.max(...nodes.map(({ execution }) => execution!.executed));
    for (const { height } of blocks) if (height > executed) tooEarly.push(`block ${height} of ${executed}`);
  });
  closing.push(() => follower.stop());
  const reach = (height: number) => follower.until((blocks) => blocks.length === height + 1);
  const expectCalm = () => {
    expect(tooEarly).toEqual([]);
    expect(follower.problems).toEqual([]);
    expect(follower.blocks).toEqual(calm);
    expect(follower.rpc.states().map(({ state }) => state)).not.toContain("refused");
  };
  return { follower, reach, expectCalm };
}

let calm: readonly EvmBlock[];
beforeAll(async () => {
  const node = await startReplayRpc({ recording: RECORDING, head: HEAD });
  const follower = new SourceFollower([node.url]);
  await follower.untilIs(node);
  calm = follower.blocks;
  await follower.stop();
  await node.close();
});

describe("a node that executes what it has accepted later", () => {
  test.each(["http", "ws"] as const)("gives each block once it has executed it, over %s, and all blocks in the end", async (protocol) => {
    const node = await start({ executed: 3 });
    const { follower, reach, expectCalm } = follow([node], [protocol === "ws" ? node.wsUrl : node.url]);
    for (const executed of [3, 4, 5, 9, 10, 31, 32, HEAD]) {
      if (executed > 3) node.execute(executed);
      await reach(executed);
      expect(follower.batches.at(-1)!.head.height).toBe(BigInt(executed));
    }
    expectCalm();
  });

  test("is not asked for anything that it has not executed", async () => {
    const node = await start({ executed: 20 });
    const { reach } = follow([node]);
    await reach(20);
    expect(node.counts.get("eth_getBlockReceipts")).toBe(21);
    expect(node.counts.get("debug_traceBlockByNumber")).toBe(21);
  });

  test("stands in for one that had executed more: its answers come late, and it is not set aside", async () => {
    const [ahead, behind] = [await start({ executed: 40 }), await start({ executed: 30 })];
    const { follower, reach, expectCalm } = follow([ahead, behind]);
    await reach(40);
    ahead.setFaults({ serverError: 1 });
    behind.execute(35);
    behind.execute(41);
    await reach(41);
    ahead.setFaults({});
    ahead.execute(HEAD);
    behind.execute(HEAD);
    await reach(HEAD);
    expect(follower.batches.every(({ undoTo }) => undoTo === undefined)).toBe(true);
    expectCalm();
  });
});

describe("blocks that a node was not asked for too early by chance", () => {
  const fetcherOf = (node: ReplayRpc, traces: boolean) => {
    const rpc = openUpstreamRpc({ urls: [node.url], log });
    closing.push(() => rpc.close());
    const fetcher = new ComparedBlocks(rpc, log, { traces });
    return async (from: number, count: number) =>
      (await fetcher.fetch(BigInt(from), count, BigInt(HEAD), new AbortController().signal)).map(wholeBlock);
  };

  test("come when they are executed: their receipts and traces wait for it", async () => {
    const node = await start({ executed: 10 });
    const blocks = fetcherOf(node, true)(9, 4);
    const first = await Promise.race([blocks, fetcherOf(node, true)(8, 2)]);
    expect(first).toEqual(calm.slice(8, 10));
    node.execute(12);
    expect(await blocks).toEqual(calm.slice(9, 13));
  });

  test("are not there yet past the last accepted one, which is no failure", async () => {
    const node = await start({ executed: HEAD });
    expect(await fetcherOf(node, true)(HEAD - 1, 4)).toEqual(calm.slice(HEAD - 1));
    expect(await fetcherOf(node, true)(HEAD + 1, 2)).toEqual([]);
  });

  test("are not there yet while only some of their receipts are, which come before the block is executed", async () => {
    const executing = calm.findIndex(({ transactions }, height) => height > 30 && transactions.length > 1);
    const node = await start({ executed: executing - 1, features: { blockReceipts: false } });
    const fetch = fetcherOf(node, false);
    const untraced = (blocks: readonly EvmBlock[]) =>
      blocks.map(({ hash, transactions }) => ({ hash, logs: transactions.map(({ logs }) => logs) }));
    expect(untraced(await fetch(executing - 2, 4))).toEqual(untraced(calm.slice(executing - 2, executing)));
    expect(await fetch(executing, 1)).toEqual([]);
    node.execute(executing);
    expect(untraced(await fetch(executing, 1))).toEqual(untraced([calm[executing]!]));
  });
});
