/** A node that alters one member of its answers about one block, beside honest ones. */
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ComparedBlocks } from "../../../src/sources/evm/compared-blocks.ts";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { openBlock } from "../../../src/sources/evm/parser/block-parser.ts";
import { wholeBlock } from "../../../src/sources/evm/read-block.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import type { Upstreams } from "../../../src/sources/upstream/upstream-rpc.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import type { Block, Receipt, RecordedBlock } from "../../evm/replay-rpc/recording.ts";
import { type SpoiledNode, startSpoiledNode } from "../../evm/replay-rpc/spoiled-node.ts";
import { randomOf } from "../../random.ts";
import { SEED, sized } from "../../share.ts";
import { altered, placesIn } from "./altered.ts";

const log = pino({ level: "silent" });
const METHODS = { block: "eth_getBlockByNumber", receipts: "eth_getBlockReceipts", traces: "debug_traceBlockByNumber" } as const;
type Part = keyof typeof METHODS;
type Lie = (part: Part, answer: unknown) => unknown;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Has the node lie about one block. */
function spoil(node: SpoiledNode, height: number, lie: Lie): void {
  node.setSpoil(({ calls, replies }) => {
    for (const [i, { method, params }] of calls.entries()) {
      const part = (Object.keys(METHODS) as Part[]).find((each) => METHODS[each] === method);
      if (part === undefined || params[0] !== `0x${height.toString(16)}` || replies[i]!.result === undefined) continue;
      replies[i] = { ...replies[i]!, result: lie(part, replies[i]!.result) };
    }
    return false;
  });
}

function rpcOf(nodes: readonly SpoiledNode[]): Upstreams {
  const rpc = openUpstreamRpc({ urls: nodes.map(({ url }) => url), log, firstWaitMs: 1 });
  closing.push(() => rpc.close());
  return rpc;
}

const signal = new AbortController().signal;
async function read(rpc: Upstreams, from: number, count: number, head: number): Promise<EvmBlock[]> {
  return (await new ComparedBlocks(rpc, log, { traces: true }).fetch(BigInt(from), count, BigInt(head), signal)).map(wholeBlock);
}

function answersOf({ block, receipts, traces }: RecordedBlock): Record<Part, unknown> {
  return { block, receipts, traces };
}

function contentOf(answers: Record<Part, unknown>): unknown {
  try {
    return openBlock(answers).block();
  } catch {
    return undefined;
  }
}

describe.each(["evm-1", "evm-anvil-1", "evm-helicon-1"] as const)("a lie about a block of %s", (name) => {
  let nodes: SpoiledNode[];
  let liar: SpoiledNode;
  let calm: readonly EvmBlock[];
  beforeAll(async () => {
    nodes = await Promise.all(Array.from({ length: 3 }, () => startSpoiledNode(recordingFolder(name))));
    liar = nodes[0]!;
    const { length } = liar.recording.blocks;
    calm = await read(rpcOf([nodes[1]!]), 0, length, length - 1);
  });
  afterAll(() => Promise.all(nodes.map((node) => node.close())));

  test("is found out, whatever member it alters, and the block is read as honest nodes know it", async () => {
    const random = randomOf(SEED);
    const { blocks } = liar.recording;
    const busy = blocks.filter(({ block, traces }) => block.transactions.length > 0 && traces !== null);
    for (let lies = 0; lies < sized({ whole: 340, share: 34 }); lies++) {
      const recorded = busy[Math.floor(random() * busy.length)]!;
      const honest = answersOf(recorded);
      const part = (Object.keys(METHODS) as Part[])[Math.floor(random() * 3)]!;
      const places = placesIn(honest[part]);
      const place = places[Math.floor(random() * places.length)]!;
      const how = Math.floor(random() * 1000);
      const lie = { ...honest, [part]: altered(honest[part], place, how) };
      spoil(liar, recorded.height, (asked) => lie[asked]);
      const rpc = rpcOf(nodes);
      const told = `${name} ${recorded.height} ${part}.${place.join(".")} ${how}`;
      const [block] = await read(rpc, recorded.height, Math.min(2, blocks.length - recorded.height), blocks.length - 1);
      expect(block, told).toEqual(calm[recorded.height]);
      const [{ state, reason, errors }] = rpc.states() as [ReturnType<Upstreams["states"]>[number]];
      const isNamed = (state === "refused" || Object.keys(errors).length > 0) && reason !== undefined;
      if (JSON.stringify(contentOf(lie), text) !== JSON.stringify(contentOf(honest), text))
        expect(isNamed, `${told}: ${reason}`).toBe(true);
      await rpc.close();
    }
  });
});

function text(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}

function withFailed([first, ...more]: readonly Receipt[]): Receipt[] {
  return [{ ...first!, status: "0x0" }, ...more];
}

describe("what no header proves", () => {
  const HEIGHT = 30;

  async function two(name: "evm-1" | "evm-helicon-1", lie: Lie): Promise<{ rpc: Upstreams; height: number; honest: SpoiledNode }> {
    const [liar, honest] = await Promise.all([startSpoiledNode(recordingFolder(name)), startSpoiledNode(recordingFolder(name))]);
    closing.push(
      () => liar.close(),
      () => honest.close(),
    );
    const { height } = honest.recording.blocks.find(
      ({ height: each, receipts, traces }) => each >= HEIGHT && receipts.length > 0 && traces?.some(({ result }) => result.calls?.length),
    )!;
    spoil(liar, height, lie);
    return { rpc: rpcOf([liar, honest]), height, honest };
  }

  test("two nodes that contradict each other about receipts end the reading before that block, in a sentence that names both", async () => {
    const flipped: Lie = (part, answer) => (part === "receipts" ? withFailed(answer as Receipt[]) : answer);
    const { rpc, height } = await two("evm-helicon-1", flipped);
    const head = height + 3;
    expect(await read(rpc, height - 2, 4, head)).toHaveLength(2);
    await expect(read(rpc, height, 1, head)).rejects.toThrow(
      new RegExp(
        `^http://127.0.0.1:\\d+ and http://127.0.0.1:\\d+ contradict each other about the transactions of block ${height}; a third node`,
      ),
    );
  });

  test("a sender whom block, receipts and traces name alike is compared, too", async () => {
    const other = `0x${"5e".repeat(20)}`;
    const impostor: Lie = (part, answer) => {
      if (part === "block")
        return { ...(answer as Block), transactions: (answer as Block).transactions.map((each) => ({ ...each, from: other })) };
      if (part === "receipts") return (answer as Receipt[]).map((each) => ({ ...each, from: other }));
      return (answer as { result: object }[]).map((each) => ({ ...each, result: { ...each.result, from: other } }));
    };
    const { rpc, height } = await two("evm-1", impostor);
    await expect(read(rpc, height, 1, height + 3)).rejects.toThrow(`contradict each other about the transactions of block ${height}`);
  });

  test("two nodes that contradict each other about traces leave the block without them, and they are asked for again", async () => {
    const moved: Lie = (part, answer) => (part === "traces" ? altered(answer, [0, "result", "calls", 0, "gasUsed"], 1) : answer);
    const { rpc, height, honest } = await two("evm-1", (part, answer) => {
      const list = answer as readonly { readonly result: { readonly calls?: unknown } }[];
      const at = part === "traces" ? list.findIndex(({ result }) => result.calls !== undefined) : -1;
      return at === -1 ? answer : [...list.slice(0, at), ...(moved("traces", list.slice(at)) as unknown[])];
    });
    const blocks = [...(await read(rpc, height - 1, 1, height + 3)), ...(await read(rpc, height, 1, height + 3))];
    const count = honest.recording.blocks[height]!.receipts.length;
    expect(blocks.map(({ untraced }) => untraced.length)).toEqual([0, count]);
    expect(blocks[1]!.transactions.flatMap(({ frames }) => frames)).toEqual([]);
  });

  test("a node that was set aside is used again, and nothing is said of it, once it says what another one says", async () => {
    const { rpc, height } = await two("evm-1", (_, answer) => answer);
    rpc.refuse(0, "its call traces are not those of two other nodes", { firstMs: 0, longestMs: 0 });
    expect(rpc.states()[0]).toMatchObject({ state: "refused" });
    await read(rpc, height, 1, height + 3);
    expect(rpc.states().map(({ state, reason }) => ({ state, reason }))).toEqual(Array(2).fill({ state: "used", reason: undefined }));
  });

  test("a second node that is gone holds nobody up", async () => {
    const { rpc, height, honest } = await two("evm-1", (_, answer) => answer);
    await honest.close();
    expect(await read(rpc, height, 1, height + 3)).toHaveLength(1);
  });
});
