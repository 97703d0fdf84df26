/** Blocks of an EVM chain read from any JSON-RPC: all there are, then the tip, with the branches that replace it. */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { EvmBlock, Hash } from "../../evm/block.ts";
import { AnswerError } from "../../evm/block-parser/answer-object.ts";
import type { OpenEvmRpc } from "../../evm/rpc/evm-rpc.ts";
import { EvmRpcError } from "../../evm/rpc/evm-rpc-error.ts";
import { FirnError } from "../../primitives/errors.ts";
import { BlockFetcher } from "./block-fetcher.ts";
import { branchPoint } from "./branch-point.ts";
import type { EvmBatch, EvmSource, EvmTip } from "./evm-source.ts";
import { type Head, HeadWatch } from "./head-watch.ts";
import { orderedBlocks } from "./ordered-blocks.ts";

export interface RpcSourceSettings {
  readonly rpc: OpenEvmRpc;
  readonly startBlock: bigint;
  /** 0: blocks are final */
  readonly maxReorgDepth: number;
  /** false: call traces are not asked for */
  readonly traces: boolean;
  readonly log: Logger;
  /** between looks at the head, where no subscription tells of it; default 1,000 */
  readonly pollMs?: number;
  /** told after each look at the head, also if nothing is new */
  readonly onHead?: (head: EvmBatch["head"]) => void;
  /** told in a sentence why nothing comes at present; the next batch ends it */
  readonly onProblem?: (problem: string) => void;
}

type HashAt = (height: bigint) => Promise<Hash | undefined>;

const POLL_MS = 1_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** A chain that seems to have replaced final blocks is looked at so often: one node may be on a wrong branch for a moment. */
const LOOKS_AT_DEEP_BRANCHES = 3;

/**
 * The iteration of `batches` goes on through outages of the upstreams. It throws a FirnError where an operator has to do something:
 * `evm-reorg-too-deep`, `evm-traces-pruned`.
 */
export function rpcSource(settings: RpcSourceSettings): EvmSource {
  return { batches: (tip, hashAt, signal) => new Reading(settings, hashAt, signal).batches(tip) };
}

class Reading {
  readonly #settings: RpcSourceSettings;
  readonly #hashAt: HashAt;
  readonly #signal: AbortSignal;
  readonly #fetcher: BlockFetcher;
  readonly #watch: HeadWatch;
  #tip: EvmTip | undefined;
  /** branches in a row that were too deep */
  #deepBranches = 0;

  constructor(settings: RpcSourceSettings, hashAt: HashAt, signal: AbortSignal) {
    const { rpc, log, traces, pollMs = POLL_MS, onHead = () => {} } = settings;
    this.#settings = settings;
    this.#hashAt = hashAt;
    this.#signal = signal;
    // each request under way listens to it
    setMaxListeners(0, signal);
    this.#fetcher = new BlockFetcher(rpc, log, { traces });
    this.#watch = new HeadWatch({ rpc, pollMs, onHead, signal });
  }

  async *batches(tip: EvmTip | undefined): AsyncGenerator<EvmBatch> {
    this.#tip = tip;
    try {
      while (!this.#signal.aborted) {
        const head = await this.#insist(() => this.#watch.look(), this.#signal);
        const before = this.#tip?.hash;
        if (this.#tip === undefined || head.height > this.#tip.height) yield* this.#ahead(head);
        if (this.#tip !== undefined && (await this.#isReplaced(head))) yield* this.#branch(head);
        if (this.#tip?.hash === before) await this.#watch.changed();
      }
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
  }

  /** Blocks up to the head, as long as they continue what is there. */
  async *#ahead(head: Head): AsyncGenerator<EvmBatch> {
    const from = this.#tip === undefined ? this.#settings.startBlock : this.#tip.height + 1n;
    if (from > head.height) this.#settings.onProblem?.(`the chain has ${head.height} blocks; it is indexed from block ${from} on`);
    const range = { from, to: head.height, signal: this.#signal };
    for await (const blocks of orderedBlocks({ ...range, fetch: (...run) => this.#fetch(head, ...run) })) {
      const continuing = continuationOf(this.#tip, blocks);
      if (continuing.length > 0) {
        yield { blocks: continuing, head: this.#watch.newest(head) };
        this.#tip = continuing.at(-1)!;
      }
      if (continuing.length < blocks.length) return;
    }
  }

  /** Does the upstream have another block where the indexed tip is, or below it? */
  async #isReplaced(head: Head): Promise<boolean> {
    const tip = this.#tip!;
    if (head.height < tip.height) {
      const known = await this.#hashAt(head.height);
      return known !== undefined && known !== head.hash;
    }
    if (head.height === tip.height) return head.hash !== tip.hash;
    // the tip did not get as far as the head: is that because the next block is no child of it?
    const [next] = await this.#insist(() => this.#fetcher.fetch(tip.height + 1n, 1, head.height, this.#signal), this.#signal);
    return next !== undefined && next.parentHash !== tip.hash;
  }

  /** The branch in place of what it replaces, in one batch. Nothing if the chain moves on meanwhile: it is looked at again. */
  async *#branch(head: Head): AsyncGenerator<EvmBatch> {
    const tip = this.#tip!;
    const { rpc, startBlock, maxReorgDepth, log } = this.#settings;
    const lowest = maximum(startBlock, tip.height - BigInt(maxReorgDepth));
    const from = minimum(head.height, tip.height);
    const search = { rpc, hashAt: this.#hashAt, from, downTo: minimum(lowest, from), signal: this.#signal };
    const point = await this.#insist(() => branchPoint(search), this.#signal);
    if (point === "moved") return;
    if (point === "below" || tip.height - point.height > BigInt(maxReorgDepth)) return this.#refuseDeepBranch(tip);
    this.#deepBranches = 0;
    const range = { from: point.height + 1n, to: from, signal: this.#signal };
    const blocks: EvmBlock[] = [];
    for await (const some of orderedBlocks({ ...range, fetch: (...run) => this.#fetch(head, ...run) })) blocks.push(...some);
    const continuing = continuationOf(point, blocks);
    if (continuing.length === 0 || continuing.length < Number(from - point.height)) return;
    log.info({ from: `${point.height}`, replaced: Number(tip.height - point.height), blocks: continuing.length }, "Chain was reorganised");
    yield { undoTo: point.height, blocks: continuing, head: this.#watch.newest(head) };
    this.#tip = continuing.at(-1)!;
  }

  #refuseDeepBranch(tip: EvmTip): void {
    const { maxReorgDepth } = this.#settings;
    const message = `the chain replaced more than the ${maxReorgDepth} newest of the indexed blocks (up to block ${tip.height}); raise maxReorgDepth and index it into a new data directory, or check whether the RPC is of the right chain`;
    if (++this.#deepBranches >= LOOKS_AT_DEEP_BRANCHES)
      throw new FirnError("evm-reorg-too-deep", message, { height: tip.height, maxReorgDepth });
    this.#settings.onProblem?.(message);
  }

  #fetch(head: Head, from: bigint, count: number, signal: AbortSignal): Promise<readonly EvmBlock[]> {
    return this.#insist(() => this.#fetcher.fetch(from, count, head.height, signal), signal);
  }

  /** Until an upstream gives a usable answer. */
  async #insist<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { log, onProblem } = this.#settings;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)) {
      try {
        return await ask();
      } catch (error) {
        if (signal.aborted || !(error instanceof EvmRpcError || error instanceof AnswerError)) throw error;
        log.warn({ err: error, waitMs }, "Could not read a chain; trying again");
        onProblem?.(error.message);
        await sleep(waitMs, undefined, { signal });
      }
    }
  }
}

/** The blocks that follow the tip, each the child of the one before. */
function continuationOf(tip: EvmTip | undefined, blocks: readonly EvmBlock[]): readonly EvmBlock[] {
  const broken = blocks.findIndex((block, index) => {
    const parent = index === 0 ? tip : blocks[index - 1]!;
    return parent !== undefined && block.parentHash !== parent.hash;
  });
  return broken === -1 ? blocks : blocks.slice(0, broken);
}

function minimum(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function maximum(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
