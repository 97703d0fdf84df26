/** Reads the blocks of an EVM chain from any JSON-RPC: first all existing blocks, then the tip, including the branches that replace it. */

import { setMaxListeners } from "node:events";
import type { Logger } from "pino";
import { larger, smaller } from "../../base/bytes/amount.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { insist } from "../upstream/insist.ts";
import { orderedRuns, type RunRange, type RunShape } from "../upstream/ordered-runs.ts";
import type { SharedReader } from "../upstream/shared-answers.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { OpenUpstreamRpc, UpstreamRpc } from "../upstream/upstream-rpc.ts";
import { ComparedBlocks } from "./compared-blocks.ts";
import type { EvmBatch, EvmSource, EvmTip } from "./evm-source.ts";
import { type Head, HeadWatch } from "./head-watch.ts";
import { AnswerError, AnswerObject } from "./parser/answer-object.ts";
import type { EvmBlock, Hash } from "./parser/block.ts";
import { ReadBlock, type ReadRun, type ReceivedBlock, transactionCount } from "./read-block.ts";

// Estimates a block's memory from the number of its parts. Measured to be right within a third.

const TRANSACTION_BYTES = 1200;
const LOG_BYTES = 500;
const FRAME_BYTES = 400;

/** bytes */
function approximateSize({ transactions, extraData }: EvmBlock): number {
  let bytes = extraData.length;
  for (const { input, logs, frames } of transactions) {
    bytes += TRANSACTION_BYTES + input.length + frames.length * FRAME_BYTES;
    for (const { data } of logs) bytes += LOG_BYTES + data.length;
  }
  return bytes;
}

const SHAPE: RunShape<ReceivedBlock> = {
  bytesOf: (block) => (block instanceof ReadBlock ? block.bytes : approximateSize(block)),
  unitsOf: transactionCount,
  runs: 32,
  runUnits: 100,
  runItems: 25,
  firstRunItems: 4,
  runBytes: 8 * 2 ** 20,
  assumedBytes: 2 * 2 ** 20,
  heldBytes: 64 * 2 ** 20,
  givenUnits: 3000,
  givenBytes: 32 * 2 ** 20,
};

/** Blocks of a range in order while the next ones are fetched: runs of about 100 transactions. */
export function orderedBlocks(range: Omit<RunRange<ReceivedBlock>, "shape">): AsyncGenerator<readonly ReceivedBlock[]> {
  return orderedRuns({ ...range, shape: SHAPE });
}

interface BranchSearch {
  readonly rpc: UpstreamRpc;
  readonly hashAt: (height: bigint) => Promise<Hash | undefined>;
  /** highest height to compare */
  readonly from: bigint;
  /** lowest height to compare */
  readonly downTo: bigint;
  readonly signal: AbortSignal;
}

/** headers in the first message; each further message has twice as many */
const FIRST_HEADERS = 8n;

type BranchPoint =
  | EvmTip
  /** no block of the range is on the upstream's chain */
  | "below"
  /** the upstream has fewer blocks than it reported */
  | "moved";

/** Finds the last block that the upstream's chain and the indexed chain share. */
async function branchPoint({ rpc, hashAt, from, downTo, signal }: BranchSearch): Promise<BranchPoint> {
  let count = FIRST_HEADERS;
  for (let high = from; high >= downTo; high -= count, count *= 2n) {
    const low = high - count + 1n > downTo ? high - count + 1n : downTo;
    const heights = Array.from({ length: Number(high - low + 1n) }, (_, i) => high - BigInt(i));
    const outcomes = await rpc.requestAll(
      heights.map((height) => ({ method: "eth_getBlockByNumber", params: [`0x${height.toString(16)}`, false] })),
      { signal },
    );
    for (const [index, height] of heights.entries()) {
      const outcome = outcomes[index]!;
      if ("error" in outcome) throw outcome.error;
      if (outcome.result === null) return "moved";
      const hash = new AnswerObject(outcome.result, `block ${height}`).hash("hash");
      if (hash === (await hashAt(height))) return { height, hash };
    }
  }
  return "below";
}

export interface RpcSourceSettings {
  readonly rpc: OpenUpstreamRpc;
  readonly startBlock: bigint;
  /** 0: blocks are final */
  readonly maxReorgDepth: number;
  /** false: call traces are not requested */
  readonly traces: boolean;
  readonly log: Logger;
  /** somebody else reads the chain's blocks in this process, too */
  readonly sharedBlocks?: SharedReader | undefined;
  /** reads blocks that cannot be replaced any more on other threads */
  readonly readRun?: ReadRun | undefined;
  /** milliseconds between polls of the head, if no subscription reports it; default 1,000 */
  readonly pollMs?: number;
  /** milliseconds until a failed request is retried, doubled each time up to 30 s; default 500 */
  readonly retryMs?: number;
  /** called after each poll of the head, even if it has not changed */
  readonly onHead?: (head: EvmBatch["head"]) => void;
  /** called with the number of blocks that were read ahead and wait to be given */
  readonly onPrefetched?: (blocks: number) => void;
  /** called with a sentence if no blocks come at present; the next batch ends the problem */
  readonly onProblem?: (problem: string) => void;
}

type HashAt = (height: bigint) => Promise<Hash | undefined>;

const POLL_MS = 1_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** Times that the next block is looked for in vain below the head before it counts as kept back: a node may be behind for a moment. */
const LOOKS_AT_MISSING_BLOCKS = 3;
/** Times that a chain which seems to have replaced final blocks is checked: one node may be on a wrong branch for a moment. */
const LOOKS_AT_DEEP_BRANCHES = 3;

/**
 * The iteration of `batches` survives outages of the upstreams. It throws a FirnError only if an operator has to act: `evm-reorg-too-deep`,
 * `evm-other-chain`, `evm-traces-pruned`.
 */
export function rpcSource(settings: RpcSourceSettings): EvmSource {
  return { batches: (tip, hashAt, signal) => new Reading(settings, hashAt, signal).batches(tip) };
}

class Reading {
  readonly #settings: RpcSourceSettings;
  readonly #hashAt: HashAt;
  readonly #signal: AbortSignal;
  readonly #fetcher: ComparedBlocks;
  readonly #watch: HeadWatch;
  #tip: EvmTip | undefined;
  /** number of branches in a row that were too deep */
  #deepBranches = 0;
  /** times in a row that there was no next block, though the head was further */
  #missing = 0;
  /** what was last said of that */
  #missingReason: string | undefined;

  constructor(settings: RpcSourceSettings, hashAt: HashAt, signal: AbortSignal) {
    const { rpc, log, traces, sharedBlocks, readRun, maxReorgDepth, pollMs = POLL_MS, onHead = () => {} } = settings;
    this.#settings = settings;
    this.#hashAt = hashAt;
    this.#signal = signal;
    // each request under way adds a listener
    setMaxListeners(0, signal);
    const elsewhere = readRun && { read: readRun, depth: maxReorgDepth };
    this.#fetcher = new ComparedBlocks(rpc, log, { traces, sharedBlocks, elsewhere });
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
        const isBehind = this.#tip?.hash === before && head.height > (this.#tip?.height ?? this.#settings.startBlock - 1n);
        this.#missing = isBehind ? this.#missing + 1 : 0;
        if (!isBehind) this.#missingReason = undefined;
        if (this.#tip?.hash === before) await this.#watch.changed();
      }
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
  }

  /** Yields blocks up to the head while they continue the indexed chain. */
  async *#ahead(head: Head): AsyncGenerator<EvmBatch> {
    const from = this.#tip === undefined ? this.#settings.startBlock : this.#tip.height + 1n;
    if (from > head.height) this.#settings.onProblem?.(`the chain has ${head.height} blocks; it is indexed from block ${from} on`);
    const range = { from, to: head.height, signal: this.#signal, onHeld: this.#settings.onPrefetched };
    for await (const blocks of orderedBlocks({ ...range, fetch: (...run) => this.#fetch(head, ...run) })) {
      const continuing = continuationOf(this.#tip, blocks);
      if (continuing.length > 0) {
        this.#missing = 0;
        yield { blocks: continuing, head: this.#watch.newest(head) };
        this.#tip = continuing.at(-1)!;
      }
      if (continuing.length < blocks.length) return;
    }
  }

  /** Whether the upstream has another block at the indexed tip or below it. */
  async #isReplaced(head: Head): Promise<boolean> {
    const tip = this.#tip!;
    if (head.height < tip.height) {
      const known = await this.#hashAt(head.height);
      return known !== undefined && known !== head.hash;
    }
    if (head.height === tip.height) return head.hash !== tip.hash;
    // The tip is below the head although blocks were read. Is the next block not a child of the tip?
    const [next] = await this.#fetch(head, tip.height + 1n, 1, this.#signal);
    return next !== undefined && next.parentHash !== tip.hash;
  }

  /**
   * Yields the new branch in one batch, up to `maxReorgDepth` blocks beyond the tip. Yields nothing if the chain changes meanwhile; it is
   * then checked again.
   */
  async *#branch(head: Head): AsyncGenerator<EvmBatch> {
    const tip = this.#tip!;
    const { rpc, startBlock, maxReorgDepth, log } = this.#settings;
    const lowest = larger(startBlock, tip.height - BigInt(maxReorgDepth));
    const from = smaller(head.height, tip.height);
    const search = { rpc, hashAt: this.#hashAt, from, downTo: smaller(lowest, from), signal: this.#signal };
    const point = await this.#insist(() => branchPoint(search), this.#signal);
    if (point === "moved") return;
    if (point === "below" || tip.height - point.height > BigInt(maxReorgDepth)) return this.#refuseDeepBranch(tip);
    this.#deepBranches = 0;
    // After a long absence the branch may have grown far beyond the tip. The rest is read in pieces, as on any chain.
    const to = smaller(head.height, tip.height + BigInt(maxReorgDepth));
    const range = { from: point.height + 1n, to, signal: this.#signal };
    const blocks: ReceivedBlock[] = [];
    for await (const some of orderedBlocks({ ...range, fetch: (...run) => this.#fetch(head, ...run) })) blocks.push(...some);
    const continuing = continuationOf(point, blocks);
    if (continuing.length === 0 || continuing.length < Number(from - point.height)) return;
    log.info({ from: `${point.height}`, replaced: Number(tip.height - point.height), blocks: continuing.length }, "Chain was reorganised");
    yield { undoTo: point.height, blocks: continuing, head: this.#watch.newest(head) };
    this.#tip = continuing.at(-1)!;
  }

  async #refuseDeepBranch(tip: EvmTip): Promise<void> {
    const other = await this.#otherChain();
    if (other !== undefined) {
      if (++this.#deepBranches >= LOOKS_AT_DEEP_BRANCHES) throw new FirnError("evm-other-chain", other);
      this.#settings.onProblem?.(other);
      return;
    }
    const { maxReorgDepth } = this.#settings;
    const message = `the chain replaced more than the ${maxReorgDepth} newest of the indexed blocks (up to block ${tip.height}); raise maxReorgDepth and index it into a new data directory, or check whether the RPC is of the right chain`;
    if (++this.#deepBranches >= LOOKS_AT_DEEP_BRANCHES)
      throw new FirnError("evm-reorg-too-deep", message, { height: tip.height, maxReorgDepth });
    this.#settings.onProblem?.(message);
  }

  /** A sentence if not even the first block is the indexed one. */
  async #otherChain(): Promise<string | undefined> {
    const { rpc, startBlock } = this.#settings;
    const known = await this.#hashAt(startBlock);
    const search = { rpc, hashAt: this.#hashAt, from: startBlock, downTo: startBlock, signal: this.#signal };
    if (known === undefined || (await this.#insist(() => branchPoint(search), this.#signal)) !== "below") return undefined;
    const first = startBlock === 0n ? "genesis" : `block ${startBlock}`;
    return `the RPC is of another chain: its ${first} is not the indexed one (0x${known}); use a node of the indexed chain, or index the other one into a new data directory`;
  }

  #fetch(head: Head, from: bigint, count: number, signal: AbortSignal): Promise<readonly ReceivedBlock[]> {
    if (this.#missing >= LOOKS_AT_MISSING_BLOCKS) return this.#fetchMissing(head, from, signal);
    return this.#insist(() => this.#fetcher.fetch(from, count, head.height, signal), signal);
  }

  /** Asks all nodes for a block that must be there. If none has it, the head is looked at again: it may have gone back. */
  async #fetchMissing(head: Head, from: bigint, signal: AbortSignal): Promise<readonly ReceivedBlock[]> {
    try {
      return await this.#fetcher.fetch(from, 1, head.height, signal, true);
    } catch (error) {
      if (signal.aborted || !(error instanceof UpstreamError || error instanceof AnswerError)) throw error;
      if (error.message !== this.#missingReason)
        this.#settings.log.warn({ err: error }, "Could not read a block that is there; looking again");
      this.#missingReason = error.message;
      this.#settings.onProblem?.(error.message);
      return [];
    }
  }

  /** Repeats until an upstream returns a usable answer. */
  #insist<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { log, onProblem, retryMs: firstMs = FIRST_RETRY_MS } = this.#settings;
    return insist(ask, {
      signal,
      firstMs,
      longestMs: LONGEST_RETRY_MS,
      mayPass: (error): error is Error => error instanceof UpstreamError || error instanceof AnswerError,
      onFailure: (error, waitMs) => {
        log.warn({ err: error, waitMs }, "Could not read a chain; trying again");
        onProblem?.(error.message);
      },
    });
  }
}

/** The first blocks that follow the tip, each the child of the one before. */
function continuationOf(tip: EvmTip | undefined, blocks: readonly ReceivedBlock[]): readonly ReceivedBlock[] {
  const broken = blocks.findIndex((block, index) => {
    const parent = index === 0 ? tip : blocks[index - 1]!;
    return parent !== undefined && block.parentHash !== parent.hash;
  });
  return broken === -1 ? blocks : blocks.slice(0, broken);
}
