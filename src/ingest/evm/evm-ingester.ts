/**
 * The loop of one EVM chain: a batch of its source is undone where the chain was replaced, classed, decoded, projected over the chain's own
 * view, and committed at once – what a reorganisation undoes and the branch in its place are one commit. The next batch is prepared while
 * that is written. The store is the only state: it may stop anywhere, and goes on behind the last commit.
 *
 * Whatever goes wrong is logged, told as the chain's problem and tried again, from the store; only what an operator has to decide ends the
 * loop. Other chains of the process never notice.
 */
import type { Logger } from "pino";
import type { Address, EvmBlock, Hash } from "../../evm/block.ts";
import { decodeBlock, doubtfulTokens } from "../../evm/decode/decode-block.ts";
import type { EvmFacts, TokenClass } from "../../evm/facts.ts";
import type { TokenClassifier } from "../../evm/tokens/classifier.ts";
import { EvmIndex, type IndexedChain } from "../../index/evm/evm-index.ts";
import { evmBlocks, evmChainStates } from "../../index/evm/tables.ts";
import { FirnError } from "../../primitives/errors.ts";
import type { Change } from "../../primitives/table.ts";
import { View } from "../../primitives/view.ts";
import type { EvmBatch, EvmSource } from "../../source/evm/evm-source.ts";
import type { Store } from "../../store/store.ts";
import { fetchRows } from "../execute.ts";
import { pause } from "./pause.ts";
import type { UpstreamLog } from "./upstream-log.ts";

/** What one commit did to a chain. */
export interface EvmCommitted {
  readonly blocks: number;
  readonly transactions: number;
  /** that were undone */
  readonly undone: number;
  readonly rows: number;
  /** of the newest indexed block */
  readonly height: bigint;
  /** newest block that the source told of */
  readonly head: bigint;
}

export interface EvmIngesterOptions {
  readonly store: Store;
  readonly chain: IndexedChain;
  readonly source: EvmSource;
  readonly classifier: TokenClassifier;
  /** told of problems; heads are told to it by the source */
  readonly upstream: Pick<UpstreamLog, "committed" | "tell">;
  readonly log: Logger;
  readonly onCommit?: (committed: EvmCommitted) => void;
  /** between attempts, doubled each time up to a minute; default 1,000 */
  readonly retryMs?: number;
  /** rows that may be kept in memory for the batches to come; by default 200,000 */
  readonly maxHeldRows?: number;
}

/** Nothing that time heals: the operator has to change something. */
const FINAL: ReadonlySet<string> = new Set(["evm-reorg-too-deep", "evm-traces-pruned", "evm-start-ahead", "undo-depth", "undo-table"]);
const RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
/** To forget them waits for the commit under way. */
const MAX_HELD_ROWS = 200_000;

export class EvmIngester {
  readonly #options: EvmIngesterOptions;

  constructor(options: EvmIngesterOptions) {
    this.#options = options;
  }

  /** Until `signal` is aborted. Rejects with a FirnError that says what an operator has to do. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, upstream, retryMs = RETRY_MS } = this.#options;
    for (let waitMs = retryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
      const attempt = new Attempt(this.#options, () => {
        waitMs = retryMs;
      });
      try {
        await attempt.run(signal);
      } catch (error) {
        if (signal.aborted) return;
        upstream.tell(error instanceof Error ? error.message : String(error));
        if (error instanceof FirnError && FINAL.has(error.code)) throw error;
        log.error({ err: error, waitMs }, "Could not index a chain; trying again");
      }
      await pause(waitMs, signal);
    }
  }
}

/** One run from what the store holds, until something fails. */
class Attempt {
  readonly #options: EvmIngesterOptions;
  readonly #onProgress: () => void;
  readonly #view = new View();
  readonly #index: EvmIndex;
  /** the commit under way */
  #committing: Promise<void> = Promise.resolve();
  #heldRows = 0;

  constructor(options: EvmIngesterOptions, onProgress: () => void) {
    this.#options = options;
    this.#onProgress = onProgress;
    this.#index = new EvmIndex(this.#view, options.chain);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { store, chain, source } = this.#options;
    const tip = await store.get(evmChainStates, { chain: chain.chain });
    try {
      for await (const batch of source.batches(tip, (height) => this.#hashAt(height), signal)) {
        await this.#ingest(batch);
        if (signal.aborted) break;
      }
    } finally {
      // its failure is this one's, unless something else failed first
      await this.#committing;
    }
  }

  async #hashAt(height: bigint): Promise<Hash | undefined> {
    await this.#committing;
    return (await this.#options.store.get(evmBlocks, { chain: this.#options.chain.chain, height }))?.hash;
  }

  async #ingest(batch: EvmBatch): Promise<void> {
    const undone = batch.undoTo === undefined ? 0 : await this.#undo(batch.undoTo);
    const facts = await this.#read(batch.blocks);
    for (const each of facts) this.#index.project(each, { recordsUndo: this.#isReplaceable(each.block, batch) });
    const changes = this.#view.drain();
    await this.#committing;
    this.#committing = this.#commit(changes, batch, undone);
    // told by whoever waits for it next
    this.#committing.catch(() => {});
    this.#heldRows += changes.length;
    if (this.#heldRows < (this.#options.maxHeldRows ?? MAX_HELD_ROWS)) return;
    await this.#committing;
    this.#view.evict();
    this.#heldRows = 0;
  }

  /** How many blocks that were. What they wrote last may be under way to the store, but is in the view. */
  async #undo(undoTo: bigint): Promise<number> {
    await this.#fetch([this.#index.stateKey()]);
    const tip = this.#index.tip();
    if (tip === undefined || tip.height <= undoTo) return 0;
    await this.#fetch(this.#index.undoKeys(undoTo, tip.height));
    for (let height = tip.height; height > undoTo; height--) this.#index.undo(height);
    return Number(tip.height - undoTo);
  }

  async #read(blocks: readonly EvmBlock[]): Promise<EvmFacts[]> {
    await this.#fetch(blocks.flatMap((block) => this.#index.tokenKeys(block)));
    const asked = await this.#classify(blocks);
    const facts = blocks.map((block) => decodeBlock(block, (token) => this.#index.classOf(token) ?? asked.get(token)));
    await this.#fetch(facts.flatMap((each) => this.#index.keysRead(each)));
    return facts;
  }

  /** Asks for tokens that nobody asked for before, at the height at which they are met. */
  async #classify(blocks: readonly EvmBlock[]): Promise<ReadonlyMap<Address, TokenClass>> {
    const wanted = new Map<Address, bigint>();
    for (const block of blocks) {
      for (const token of doubtfulTokens(block)) {
        if (!wanted.has(token) && this.#index.classOf(token) === undefined) wanted.set(token, block.height);
      }
    }
    if (wanted.size === 0) return new Map();
    return this.#options.classifier.classify([...wanted].map(([address, height]) => ({ address, height })));
  }

  #isReplaceable({ height }: EvmBlock, { head, blocks }: EvmBatch): boolean {
    // a source may have told of its head before it went on
    const newest = [head.height, blocks.at(-1)!.height];
    return newest.every((tip) => height + BigInt(this.#options.chain.maxReorgDepth) > tip);
  }

  async #commit(changes: readonly Change[], { blocks, head }: EvmBatch, undone: number): Promise<void> {
    const { store, upstream, onCommit } = this.#options;
    await store.commit(changes);
    this.#onProgress();
    const { height } = blocks.at(-1)!;
    upstream.committed(height, head);
    onCommit?.({
      blocks: blocks.length,
      transactions: blocks.reduce((sum, { transactions }) => sum + transactions.length, 0),
      undone,
      rows: changes.length,
      height,
      head: head.height,
    });
  }

  async #fetch(keys: Parameters<typeof fetchRows>[2]): Promise<void> {
    await fetchRows(this.#options.store, this.#view, keys);
  }
}
