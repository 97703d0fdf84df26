/**
 * Fetches blocks, and asks a second node for what their headers do not prove: senders and call traces everywhere, receipts on the C-chain since
 * Helicon, and all of a block whose header is of a kind that is not known here. If the two contradict each other, a third one decides. With a
 * single node nothing is compared.
 */

import type { Logger } from "pino";
import { FirnError } from "../../base/errors/errors.ts";
import { pause } from "../../base/work/pause.ts";
import type { RequestOptions, UpstreamRpc, Upstreams } from "../upstream/upstream-rpc.ts";
import { BlockFetcher, type BlockFetcherOptions, type FetchedBlock, type FetchedRun } from "./block-fetcher.ts";
import { AnswerError, AnswerObject } from "./parser/answer-object.ts";
import { openBlock } from "./parser/block-parser.ts";
import { ReadTraces } from "./parser/trace-block.ts";
import { ReadBlock, type ReceivedBlock, transactionCount } from "./read-block.ts";
import { differenceOf } from "./unproven-content.ts";

/** Milliseconds between the times that a node is asked which does not have a new block yet. After them the block is taken as it is. */
const WAITS_MS = [100, 300, 900, 2700];
const ASIDE = { firstMs: 60_000, longestMs: 3_600_000 };

interface Range {
  readonly from: bigint;
  /** number of blocks */
  readonly count: number;
  /** newest height of the chain */
  readonly head: bigint;
}

/** The answers of a node, as far as the first block is concerned. */
interface Opinion extends FetchedRun {
  readonly first: FetchedBlock;
}

export class ComparedBlocks {
  readonly #rpc: UpstreamRpc | Upstreams;
  readonly #log: Logger;
  readonly #options: BlockFetcherOptions;
  readonly #fetcher: BlockFetcher;
  /** the others lacked a new block for a while, so they are not waited for */
  #areBehind = false;
  /** by place, as the heads */
  readonly #others = new Map<number, BlockFetcher>();
  /** newest known heights of the others: a node may keep who asks for a block waiting until it has executed it */
  readonly #heads = new Map<number, bigint>();

  constructor(rpc: UpstreamRpc | Upstreams, log: Logger, options: BlockFetcherOptions) {
    this.#rpc = rpc;
    this.#log = log;
    this.#options = { ...options, isCompared: this.#nodes.length > 1 };
    this.#fetcher = new BlockFetcher(rpc, log, this.#options);
  }

  /** As `BlockFetcher.fetch` does. Rejects with an AnswerError, too, if two nodes contradict each other and no third one decides. */
  async fetch(from: bigint, count: number, head: bigint, signal: AbortSignal, isDue = false): Promise<readonly ReceivedBlock[]> {
    const own = await this.#fetcher.fetch(from, count, head, signal, isDue);
    const blocks = own.blocks.map(({ block }) => block);
    const last = own.blocks.findLastIndex(hasUnproven);
    if (this.#nodes.length < 2 || last === -1) return blocks;
    const other = await this.#ask({ from, count: last + 1, head }, own.upstreams, signal);
    if (other === undefined) return blocks;
    const differing = own.blocks.findIndex((each, i) => differenceIn(own, each, other, other.blocks[i]) !== undefined);
    if (differing === -1) for (const place of [...own.upstreams, ...other.upstreams]) this.#trust(place);
    if (differing !== 0) return differing === -1 ? blocks : blocks.slice(0, differing);
    const [a, b] = [own, other].map((run): Opinion => ({ ...run, first: run.blocks[0]! })) as [Opinion, Opinion];
    return [await this.#decided(a, b, head, signal)];
  }

  get #nodes() {
    return "states" in this.#rpc ? this.#rpc.states() : [];
  }

  /** Asks the others, one after the other; undefined: none of them answers, or they do not have the blocks. */
  async #ask(range: Range, without: ReadonlySet<number>, signal: AbortSignal): Promise<FetchedRun | undefined> {
    const places = this.#nodes.flatMap((_, place) => (without.has(place) ? [] : [place]));
    for (const waitMs of [0, ...WAITS_MS]) {
      if (waitMs > 0) await pause(waitMs, signal);
      let isAnyBehind = false;
      for (const place of places) {
        const run = await this.#askOne(place, range, signal);
        isAnyBehind ||= run === "behind";
        if (run === undefined || run === "behind") continue;
        this.#areBehind = false;
        return run;
      }
      if (!isAnyBehind || this.#areBehind) return undefined;
    }
    this.#areBehind = true;
    return undefined;
  }

  /** undefined: it does not answer, or not well */
  async #askOne(place: number, { from, count, head }: Range, signal: AbortSignal): Promise<FetchedRun | "behind" | undefined> {
    const rpc = onlyOf(this.#rpc, place);
    const fetcher = this.#others.get(place) ?? new BlockFetcher(rpc, this.#log, { ...this.#options, sharedBlocks: undefined, tries: 1 });
    this.#others.set(place, fetcher);
    try {
      if ((this.#heads.get(place) ?? -1n) < from + BigInt(count - 1)) this.#heads.set(place, await headOf(rpc, signal));
      const there = this.#heads.get(place)! - from + 1n;
      if (there <= 0n) return "behind";
      const run = await fetcher.fetch(from, there < count ? Number(there) : count, head, signal);
      return run.blocks.length === 0 ? "behind" : run;
    } catch (error) {
      if (signal.aborted || !(error instanceof FirnError)) throw error;
      return undefined;
    }
  }

  /** The block as two of three nodes know it. Without a third one it has no traces if these differ; nothing is known if the rest does. */
  async #decided(a: Opinion, b: Opinion, head: bigint, signal: AbortSignal): Promise<ReceivedBlock> {
    const { height } = a.first.block;
    const difference = differenceIn(a, a.first, b, b.first)!;
    const asked = new Set([...a.upstreams, ...b.upstreams]);
    const third = await this.#ask({ from: height, count: 1, head }, asked, signal);
    const agreesWith = (each: Opinion) =>
      third?.blocks[0]?.block.hash === each.first.block.hash && differenceIn(each, each.first, third, third.blocks[0]) === undefined;
    for (const [right, wrong] of [
      [a, b],
      [b, a],
    ] as const) {
      if (!agreesWith(right) || agreesWith(wrong)) continue;
      this.#setAside(wrong.upstreams, `its ${difference} of block ${height} are not those of two other nodes`);
      return right.first.block;
    }
    const message = `${this.#names(a)} and ${this.#names(b)} contradict each other about the ${difference} of block ${height}; a third node decides, once its URL is given`;
    if (difference === "transactions") throw new AnswerError(message, { height });
    this.#log.warn({ height: `${height}` }, `Indexing a block without call traces: ${message}`);
    return withoutTraces(a.first.block);
  }

  #setAside(nodes: ReadonlySet<number>, reason: string): void {
    const [only, ...more] = nodes;
    if (more.length === 0 && only !== undefined && "refuse" in this.#rpc) this.#rpc.refuse(only, reason, ASIDE);
  }

  /** It says what another node says: nothing is told any more of what it was set aside for, once its time is over. */
  #trust(place: number): void {
    if ("trust" in this.#rpc) this.#rpc.trust(place);
  }

  #names({ upstreams }: Opinion): string {
    const nodes = this.#nodes;
    return [...upstreams].map((place) => nodes[place]!.name).join(" with ");
  }
}

function hasUnproven({ block, unproven }: FetchedBlock): boolean {
  return unproven?.rest !== undefined || (unproven?.traces !== undefined && transactionCount(block) > 0);
}

/** Traces of different methods differ in what they leave out. */
function differenceIn(a: FetchedRun, blockOfA: FetchedBlock, b: FetchedRun, blockOfB: FetchedBlock | undefined) {
  if (blockOfA.block.hash !== blockOfB?.block.hash || blockOfA.unproven === undefined || blockOfB.unproven === undefined) return undefined;
  const traces = a.tracer === b.tracer ? blockOfB.unproven.traces : undefined;
  return differenceOf(blockOfA.unproven, { ...blockOfB.unproven, traces });
}

function withoutTraces(block: ReceivedBlock): ReceivedBlock {
  if (!(block instanceof ReadBlock)) {
    const transactions = block.transactions.map((transaction) => ({ ...transaction, frames: [] }));
    return { ...block, transactions, untraced: transactions.map(({ index }) => index) };
  }
  return openBlock({ ...block.answers(), traces: new ReadTraces(Array.from({ length: block.transactions }, () => undefined)) }).block();
}

/** One node, and one round: if it does not answer at once, it has no opinion. */
function onlyOf(rpc: UpstreamRpc, place: number): UpstreamRpc {
  const rank = (each: number) => (each === place ? 0 : undefined);
  const limited = (options: RequestOptions | undefined): RequestOptions => ({ ...options, attempts: 1, rank });
  return {
    request: (method, params, options) => rpc.request(method, params, limited(options)),
    requestAll: (calls, options) => rpc.requestAll(calls, limited(options)),
  };
}

async function headOf(rpc: UpstreamRpc, signal: AbortSignal): Promise<bigint> {
  const height = await rpc.request("eth_blockNumber", [], { signal });
  return new AnswerObject({ height }, "eth_blockNumber").uint64("height");
}
