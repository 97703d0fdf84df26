import type { ServerResponse } from "node:http";
import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { decodeBlock } from "../../../src/evm/decode/decode-block.ts";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { wholeBlock } from "../../../src/sources/evm/read-block.ts";
import { rpcSource } from "../../../src/sources/evm/rpc-source.ts";
import { AnswerMemory } from "../../../src/sources/upstream/answer-memory.ts";
import { openUpstreamRpc, type UpstreamRpcSettings } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import type { RecordedBlock } from "../../evm/replay-rpc/recording.ts";
import { type Spoil, type SpoiledCall, type SpoiledNode, startSpoiledNode } from "../../evm/replay-rpc/spoiled-node.ts";

const log = pino({ level: "silent" });
const FROM = 40;
const HEAD = 60;
const MIB = 2 ** 20;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Read {
  readonly blocks: EvmBlock[];
  /** heights of the first block of each batch */
  readonly begins: number[];
  readonly memory: AnswerMemory;
}

async function read(nodes: readonly SpoiledNode[], settings: Partial<UpstreamRpcSettings> = {}): Promise<Read> {
  const memory = new AnswerMemory(64 * MIB);
  const rpc = openUpstreamRpc({ urls: nodes.map(({ url }) => url), log, memory, timeoutMs: 30_000, firstWaitMs: 5, ...settings });
  closing.push(() => rpc.close());
  const stopping = new AbortController();
  const source = rpcSource({ rpc, startBlock: BigInt(FROM), maxReorgDepth: 0, traces: true, log, pollMs: 5, retryMs: 5 });
  const blocks: EvmBlock[] = [];
  const begins: number[] = [];
  for await (const batch of source.batches(undefined, async () => undefined, stopping.signal)) {
    begins.push(Number(batch.blocks[0]!.height));
    blocks.push(...batch.blocks.map(wholeBlock));
    if (blocks.at(-1)!.height === BigInt(HEAD)) break;
  }
  stopping.abort();
  return { blocks, begins, memory };
}

async function start(features?: Parameters<typeof startSpoiledNode>[1]): Promise<SpoiledNode> {
  const node = await startSpoiledNode(recordingFolder("evm-1"), { head: HEAD, ...features });
  closing.push(() => node.close());
  return node;
}

/** What rows are made of. */
function facts(blocks: readonly EvmBlock[]): unknown {
  return blocks.map((block) => {
    const { transactions } = decodeBlock(block, () => undefined);
    return { hash: block.hash, traced: transactions.map(({ internals, deployments }) => ({ internals, deployments })) };
  });
}

/** A block with several transactions, of which some have internal ones. */
function victim({ recording: { blocks } }: SpoiledNode): RecordedBlock {
  return blocks.slice(FROM + 3, HEAD).find(({ receipts, traces }) => receipts.length > 2 && traces!.some(({ result }) => result.calls))!;
}

const heightOf = ({ params }: SpoiledCall) => Number(params[0]);
const isTraceOf = (call: SpoiledCall, height: number) => call.method === "debug_traceBlockByNumber" && heightOf(call) === height;

/** Slowly enough that the reader decides how fast. */
async function send(response: ServerResponse, piece: string | Buffer): Promise<void> {
  if (response.destroyed || response.write(piece)) return;
  await new Promise<void>((resolve) => {
    response.once("drain", resolve);
    // the reader has gone
    response.once("close", resolve);
  });
  response.removeAllListeners("drain").removeAllListeners("close");
}

const INPUT = Buffer.from(`0x${"00".repeat(400_000)}`);

/** Calls that pass on 400 kB each, as a transaction for 431,261 gas makes them, behind what a transaction's frame has. */
async function sendWithLongInputs(response: ServerResponse, text: string, count: number): Promise<void> {
  const at = text.lastIndexOf("@long@");
  await send(response, text.slice(0, at));
  for (let i = 0; i < count; i++) {
    await send(
      response,
      `${i === 0 ? "" : ","}{"from":"0x${"11".repeat(20)}","gas":"0x1","gasUsed":"0x1","to":"0x${"04".padStart(40, "0")}","input":"`,
    );
    await send(response, INPUT);
    await send(response, `","output":"`);
    await send(response, INPUT);
    await send(response, `","value":"0x0","type":"STATICCALL"}`);
  }
  response.end(text.slice(at + "@long@".length));
}

function spoilLong(height: number, count: number): Spoil {
  return async ({ calls, replies, isBatch, response }) => {
    const at = calls.findIndex((call) => isTraceOf(call, height));
    if (at === -1) return false;
    const [first, ...others] = replies[at]!.result as { result: { calls?: unknown[] } }[];
    const longer = { ...first, result: { ...first!.result, calls: [...(first!.result.calls ?? []), "@long@"] } };
    replies[at]!.result = [longer, ...others];
    response.setHeader("content-type", "application/json");
    await sendWithLongInputs(response, JSON.stringify(isBatch ? replies : replies[0]).replace('"@long@"', "@long@"), count);
    return true;
  };
}

describe("A block whose traces are hard to have", () => {
  test("is read whole, in little memory, where one cheap transaction makes its trace 320 MB long", async () => {
    const [fine, spoiled] = [await start(), await start()];
    const expected = await read([fine]);
    spoiled.setSpoil(spoilLong(victim(spoiled).height, 200));
    const { blocks, memory } = await read([spoiled]);
    expect(blocks.every(({ untraced }) => untraced.length === 0)).toBe(true);
    expect(facts(blocks)).toEqual(facts(expected.blocks));
    expect(memory.mostUsed).toBeLessThan(64 * MIB);
  });

  test("is asked for transaction by transaction where its traces are longer than one reads", async () => {
    const [fine, spoiled] = [await start(), await start()];
    spoiled.setSpoil(spoilLong(victim(spoiled).height, 12));
    const { blocks } = await read([spoiled], { limits: { ...DEFAULT_LIMITS, upstreamTraceBytes: 8 * MIB } });
    expect(blocks.every(({ untraced }) => untraced.length === 0)).toBe(true);
    expect(facts(blocks)).toEqual(facts((await read([fine])).blocks));
    expect(spoiled.counts.get("debug_traceTransaction")).toBeGreaterThanOrEqual(victim(spoiled).receipts.length);
  });

  test.each([
    ["says so", "the node says that it failed"],
    ["ends the connection", "the connection ends"],
    ["never answers", "no answer comes"],
    ["answers nonsense", "nonsense comes"],
  ] as const)(
    "is indexed without the one transaction whose trace nobody gives, after the blocks before it: the node %s",
    async (_, kind) => {
      const [fine, spoiled] = [await start(), await start()];
      const { height, block } = victim(spoiled);
      const bad = block.transactions[1]!.hash;
      spoiled.setSpoil(({ calls, replies, response }) => {
        const at = calls.findIndex(
          (call) => isTraceOf(call, height) || (call.method === "debug_traceTransaction" && call.params[0] === bad),
        );
        if (at === -1) return false;
        if (kind === "the node says that it failed") {
          replies[at] = { jsonrpc: "2.0", id: replies[at]!.id, error: { code: -32000, message: "execution timeout" } };
          return false;
        }
        if (kind === "nonsense comes") {
          replies[at]!.result = { type: "CALL", from: 7 };
          return false;
        }
        if (kind === "the connection ends") response.destroy();
        return true;
      });
      const expected = (await read([fine])).blocks;
      const { blocks, begins } = await read([spoiled], { timeoutMs: 1000 });
      expect(blocks.filter(({ untraced }) => untraced.length > 0).map((each) => [Number(each.height), each.untraced])).toEqual([
        [height, [1]],
      ]);
      // what came before it did not wait for it
      expect(begins).toContain(height);
      const known = (each: readonly EvmBlock[]) =>
        each.map((one) => ({ ...one, untraced: [], transactions: one.transactions.filter(({ hash }) => `0x${hash}` !== bad) }));
      expect(facts(known(blocks))).toEqual(facts(known(expected)));
      expect(blocks.map(({ hash }) => hash)).toEqual(expected.map(({ hash }) => hash));
    },
  );

  test("is taken from another upstream, if one has its traces", async () => {
    const [spoiled, fine] = [await start(), await start()];
    const { height } = victim(spoiled);
    spoiled.setSpoil(({ calls, replies }) => {
      const at = calls.findIndex((call) => isTraceOf(call, height));
      if (at !== -1)
        replies[at] = { jsonrpc: "2.0", id: replies[at]!.id, error: { code: -32000, message: "tracing failed: out of memory" } };
      return false;
    });
    const { blocks } = await read([spoiled, fine]);
    expect(blocks.every(({ untraced }) => untraced.length === 0)).toBe(true);
  });
});
