/**
 * The loop of one EVM chain. For each batch of the source it undoes replaced blocks, classifies tokens, decodes, projects over the chain's
 * own view, and commits. A reorganisation and the new branch are one commit. The next batch is prepared during the commit. The store is the
 * only state, so the loop may stop anywhere and continues after the last commit.
 *
 * A failure is logged, reported as the chain's problem and retried from the store. Only a problem that the operator has to solve ends the
 * loop. Other chains of the process are not affected.
 */

import type { Logger } from "pino";
import { FirnError } from "../../base/errors/errors.ts";
import type { Change, TableValue } from "../../base/table/table.ts";
import { View } from "../../base/table/view.ts";
import { pause } from "../../base/work/pause.ts";
import { fetchRows } from "../../ingest/steps.ts";
import type { EvmBatch, EvmSource } from "../../sources/evm/evm-source.ts";
import type { Address, EvmBlock, Hash } from "../../sources/evm/parser/block.ts";
import { transactionCount, wholeBlock } from "../../sources/evm/read-block.ts";
import type { UpstreamRpc, UpstreamState } from "../../sources/upstream/upstream-rpc.ts";
import { type EncodedRows, rowCount } from "../../store/encoded-rows.ts";
import { LiveRows, nodesJson } from "../../store/live-rows.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import { decodeBlock, doubtfulTokens } from "../decode/decode-block.ts";
import type { EvmFacts, TokenClass } from "../facts.ts";
import { EvmIndex, type IndexedChain } from "../index/evm-index.ts";
import { evmBlocks, evmChainStates, evmReorganisations, evmUpstreamNodes, evmUpstreams } from "../index/tables.ts";
import type { DoubtfulToken, TokenClassifier } from "../tokens/classifier.ts";
import { EncodedBlock } from "./encoded-block.ts";
import { fillTraces } from "./fill-traces.ts";
import type { AssumedClass } from "./read-answers.ts";
import { TraceFiller } from "./trace-filler.ts";

type Upstream = TableValue<typeof evmUpstreams>;
const NOTHING: Upstream = { headHeight: 0n, headTimestamp: 0n, seenAt: 0n, problem: "" };

/** Facts of a chain's nodes besides its blocks. */
interface ChainNodes {
  readonly nodes: readonly UpstreamState[];
  /** blocks that were read and are not indexed yet */
  readonly prefetched: number;
}

interface Known {
  readonly upstream: Upstream;
  readonly others: ChainNodes;
}

const NO_NODES: ChainNodes = { nodes: [], prefetched: 0 };
const LOOK_EVERY_MS = 500;

/** Keeps the rows with the state of a chain's nodes (`evm_upstreams`, `evm_upstream_nodes`): the newest head, a problem, a sign of life, each node. */
export class UpstreamLog {
  readonly #row: LiveRows<Known>;
  readonly #looking: NodeJS.Timeout;
  /** newest indexed block */
  #indexed: bigint;

  private constructor(store: Store, chain: number, log: Logger, upstream: Upstream, indexed: bigint, look: () => ChainNodes) {
    this.#row = new LiveRows({
      store,
      written: { upstream, others: NO_NODES },
      log: log.child({ chain }),
      changes: (value) => rowsOf(chain, value),
      isDue: differ,
    });
    this.#indexed = indexed;
    const lookAgain = () => {
      this.#row.current = { ...this.#row.current, others: look() };
    };
    lookAgain();
    this.#looking = setInterval(lookAgain, LOOK_EVERY_MS);
    this.#looking.unref();
  }

  /** @param look tells the rest; asked now and then */
  static async open(store: Store, chain: number, log: Logger, look: () => ChainNodes = () => NO_NODES): Promise<UpstreamLog> {
    const indexed = (await store.get(evmChainStates, { chain }))?.height ?? -1n;
    return new UpstreamLog(store, chain, log, (await store.get(evmUpstreams, { chain })) ?? NOTHING, indexed, look);
  }

  get problem(): string {
    return this.#row.current.upstream.problem;
  }

  /** Notes the newest block of a node. A problem is over if everything up to it is indexed. */
  head({ height, timestamp }: EvmBatch["head"]): void {
    const isFirst = this.#row.current.upstream === NOTHING;
    const problem = height <= this.#indexed ? "" : this.problem;
    this.#set({ headHeight: height, headTimestamp: timestamp, seenAt: BigInt(Math.floor(Date.now() / 1000)), problem });
    // Write the first head at once: blocks follow soon, and freshness needs it.
    if (isFirst) this.#row.writeIfDue();
  }

  /** Notes that blocks up to this height are indexed, so any problem is over. */
  committed(height: bigint, head: EvmBatch["head"]): void {
    this.#indexed = height;
    this.head(head);
    this.tell("");
  }

  /** @param problem a sentence for people */
  tell(problem: string): void {
    this.#set({ ...this.#row.current.upstream, problem });
  }

  /** Writes the last change; nothing is written afterwards. */
  close(): Promise<void> {
    clearInterval(this.#looking);
    return this.#row.close();
  }

  #set(upstream: Upstream): void {
    this.#row.current = { ...this.#row.current, upstream };
  }
}

function rowsOf(chain: number, { upstream, others: { nodes, prefetched } }: Known): Change[] {
  const about = { table: evmUpstreamNodes, key: { chain }, value: { nodes: nodesJson(nodes), prefetched } };
  // nothing is said of a head that no node has told
  const heard = upstream === NOTHING ? [] : [{ table: evmUpstreams, key: { chain }, value: upstream }];
  return [...heard, about] as Change[];
}

function differ({ upstream, others }: Known, written: Known): boolean {
  return (
    upstream.headHeight !== written.upstream.headHeight ||
    upstream.problem !== written.upstream.problem ||
    others.nodes.some(({ state }, place) => state !== written.others.nodes[place]?.state)
  );
}

/** The result of one commit. */
export interface EvmCommitted {
  readonly blocks: number;
  readonly transactions: number;
  /** number of undone blocks */
  readonly undone: number;
  readonly rows: number;
  /** height of the newest indexed block */
  readonly height: bigint;
  /** newest block that the source reported */
  readonly head: bigint;
}

export interface EvmIngesterOptions {
  readonly store: Store;
  readonly chain: IndexedChain;
  readonly source: EvmSource;
  readonly classifier: TokenClassifier;
  /** where problems are reported; the source reports heads there */
  readonly upstream: Pick<UpstreamLog, "committed" | "tell">;
  readonly log: Logger;
  readonly onCommit?: (committed: EvmCommitted) => void;
  /** milliseconds between attempts, doubled each time up to a minute; default 1,000 */
  readonly retryMs?: number;
  /** the RPC that is asked again for missing call traces; by default none */
  readonly retracing?: { readonly rpc: UpstreamRpc; readonly firstMs?: number | undefined };
  /** rows that may stay in memory for the next batches; by default 200,000 */
  readonly maxHeldRows?: number;
}

const RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
/** Evicting rows has to wait for the commit under way. */
const MAX_HELD_ROWS = 200_000;

export class EvmIngester {
  readonly #options: EvmIngesterOptions;

  constructor(options: EvmIngesterOptions) {
    this.#options = options;
  }

  /** Runs until `signal` is aborted. Rejects with a FirnError that says what an operator has to do. */
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
        if (error instanceof FirnError && error.meaning.isFinal) throw error;
        const reason = error instanceof FirnError && error.code === "store-full" ? { reason: error.message } : { err: error };
        log.error({ ...reason, waitMs }, "Could not index a chain; trying again");
      }
      await pause(waitMs, signal);
    }
  }
}

interface BatchRows {
  readonly changes: readonly Change[];
  /** rows that other threads made */
  readonly encoded: readonly EncodedRows[];
}

/** One run from the store's state until something fails. */
class Attempt {
  readonly #options: EvmIngesterOptions;
  readonly #onProgress: () => void;
  readonly #view = new View();
  readonly #index: EvmIndex;
  /** the commit under way */
  #committing: Promise<void> = Promise.resolve();
  #heldRows = 0;
  /** serializes the changes of the view */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: EvmIngesterOptions, onProgress: () => void) {
    this.#options = options;
    this.#onProgress = onProgress;
    this.#index = new EvmIndex(this.#view, options.chain);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { store, chain, source } = this.#options;
    const tip = await store.get(evmChainStates, { chain: chain.chain });
    const ending = new AbortController();
    const filling = this.#fillTraces(AbortSignal.any([signal, ending.signal]));
    try {
      for await (const batch of source.batches(tip, (height) => this.#hashAt(height), signal)) {
        await this.#alone(() => this.#ingest(batch));
        if (signal.aborted) break;
      }
    } finally {
      ending.abort();
      await filling;
      // If the last commit failed, this fails too, unless another error came first.
      await this.#committing;
    }
  }

  /** Adds missing traces between batches. */
  async #fillTraces(signal: AbortSignal): Promise<void> {
    const { store, chain, log, retracing } = this.#options;
    if (retracing === undefined) return;
    const fill = (block: EvmBlock, indexes: readonly number[]) =>
      this.#alone(async () => {
        await this.#committing;
        try {
          return await fillTraces({ store, view: this.#view, index: this.#index, chain: chain.chain }, block, indexes);
        } catch (error) {
          // The view is ahead of the store, so nothing may build on it.
          this.#committing = Promise.reject(error);
          this.#committing.catch(() => {});
          throw error;
        }
      });
    const { rpc, firstMs } = retracing;
    await new TraceFiller({ reader: store, chain, rpc, log, fill, ...(firstMs !== undefined && { firstMs }) }).run(signal);
  }

  #alone<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => {});
    return changed;
  }

  async #hashAt(height: bigint): Promise<Hash | undefined> {
    await this.#committing;
    return (await this.#options.store.get(evmBlocks, { chain: this.#options.chain.chain, height }))?.hash;
  }

  async #ingest(batch: EvmBatch): Promise<void> {
    const undone = batch.undoTo === undefined ? 0 : await this.#undo(batch.undoTo);
    const facts = await this.#read(batch);
    const encoded: EncodedRows[] = [];
    for (const each of facts) {
      if (each instanceof EncodedBlock) {
        this.#index.projectPrepared(each.prepared);
        encoded.push(each.rows);
      } else this.#index.project(each, { recordsUndo: this.#isReplaceable(each.block, batch) });
    }
    this.#index.endPrepared();
    const changes = this.#view.drain();
    await this.#committing;
    this.#committing = this.#commit({ changes, encoded }, batch, undone);
    // whoever awaits the commit next gets the error
    this.#committing.catch(() => {});
    this.#heldRows += changes.length;
    if (this.#heldRows < (this.#options.maxHeldRows ?? MAX_HELD_ROWS)) return;
    await this.#committing;
    this.#view.evict();
    this.#heldRows = 0;
  }

  /** Returns the number of undone blocks. Their last changes may not be committed yet, but they are in the view. */
  async #undo(undoTo: bigint): Promise<number> {
    await this.#fetch([this.#index.stateKey()]);
    const tip = this.#index.tip();
    if (tip === undefined || tip.height <= undoTo) return 0;
    await this.#fetch(this.#index.undoKeys(undoTo, tip.height));
    for (let height = tip.height; height > undoTo; height--) this.#index.undo(height);
    return Number(tip.height - undoTo);
  }

  async #read(batch: EvmBatch): Promise<(EvmFacts | EncodedBlock)[]> {
    const blocks = await this.#usable(batch);
    const whole = blocks.filter((block): block is EvmBlock => !(block instanceof EncodedBlock));
    await this.#fetch(whole.flatMap((block) => this.#index.tokenKeys(block)));
    const asked = await this.#classify(whole);
    const classOf = (token: Address) => this.#index.classOf(token) ?? asked.get(token);
    const facts = blocks.map((block) => (block instanceof EncodedBlock ? block : decodeBlock(block, classOf)));
    const read = facts.map((each) => (each instanceof EncodedBlock ? each.prepared : each));
    await this.#fetch(read.flatMap((each) => this.#index.keysRead(each)));
    await this.#fetch(read.flatMap((each) => this.#index.keysReadNext(each)));
    return facts;
  }

  /** Reads blocks here that have no rows, or rows of no use: some token's class is not the assumed one, or the block may be replaced. */
  async #usable(batch: EvmBatch): Promise<(EvmBlock | EncodedBlock)[]> {
    const assumed = batch.blocks.flatMap((block) => (block instanceof EncodedBlock ? block.assumed : []));
    await this.#fetch(this.#index.keysOfTokens(new Set(assumed.map(({ token }) => token))));
    const isUsable = (block: EncodedBlock) => {
      const isAsAssumed = ({ token, kind, isWrapped }: AssumedClass) => {
        const known = this.#index.classOf(token);
        return known?.kind === kind && known?.isWrapped === isWrapped;
      };
      return block.assumed.every(isAsAssumed) && !this.#isReplaceable(block, batch);
    };
    return batch.blocks.map((block) => (block instanceof EncodedBlock && isUsable(block) ? block : wholeBlock(block)));
  }

  /** Asks for the class of new tokens, at the height of their first log. */
  async #classify(blocks: readonly EvmBlock[]): Promise<ReadonlyMap<Address, TokenClass>> {
    const wanted = new Map<Address, DoubtfulToken>();
    for (const block of blocks) {
      for (const token of doubtfulTokens(block)) {
        const isAsked = wanted.has(token.address) || this.#index.classOf(token.address) !== undefined;
        if (!isAsked) wanted.set(token.address, { ...token, height: block.height });
      }
    }
    return wanted.size === 0 ? new Map() : this.#options.classifier.classify([...wanted.values()]);
  }

  #isReplaceable({ height }: Pick<EvmBlock, "height">, { head, blocks }: EvmBatch): boolean {
    // The source may have reported its head before it read on.
    const newest = [head.height, blocks.at(-1)!.height];
    return newest.every((tip) => height + BigInt(this.#options.chain.maxReorgDepth) > tip);
  }

  async #commit({ changes, encoded }: BatchRows, { blocks, head }: EvmBatch, undone: number): Promise<void> {
    const { store, chain, upstream, onCommit } = this.#options;
    await store.commit([...changes, ...(await reorganisationChanges(store, chain.chain, undone))], encoded);
    this.#onProgress();
    const { height } = blocks.at(-1)!;
    upstream.committed(height, head);
    onCommit?.({
      blocks: blocks.length,
      transactions: blocks.reduce((sum, block) => sum + transactionCount(block), 0),
      undone,
      rows: encoded.reduce((sum, rows) => sum + rowCount(rows), changes.length),
      height,
      head: head.height,
    });
  }

  async #fetch(keys: Parameters<typeof fetchRows>[2]): Promise<void> {
    await fetchRows(this.#options.store, this.#view, keys);
  }
}

// Counts how often a chain replaced indexed blocks.

/** The change for a commit that undoes this many blocks; none if it undoes none. */
async function reorganisationChanges(reader: StoreReader, chain: number, undone: number): Promise<Change[]> {
  if (undone === 0) return [];
  const { count, blocks, deepest } = (await reader.get(evmReorganisations, { chain })) ?? { count: 0n, blocks: 0n, deepest: 0n };
  const depth = BigInt(undone);
  const value = { count: count + 1n, blocks: blocks + depth, deepest: depth > deepest ? depth : deepest };
  return [{ table: evmReorganisations, key: { chain }, value } as Change];
}
