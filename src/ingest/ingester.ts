/**
 * The ingest loop, the same for every source and store: decodes a run of items, fetches all rows that they read, executes and projects them
 * in memory, and commits everything in one atomic batch. While the store writes a batch, the next one is executed. The store holds the only
 * state, so ingest can stop anywhere and continue from there. A refused item stops it, after everything before the item was committed. An
 * item that imports what another chain has yet to export waits, as does its chain, while others continue; the source's order across chains
 * is only a hint.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { formatId } from "../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import { causeOf, FirnError } from "../base/errors/errors.ts";
import { Breaks } from "../base/work/pause.ts";
import type { Ranges } from "../index/packed-list.ts";
import { NotExportedError } from "../network/execution.ts";
import type { Source, SourceItem } from "../sources/source.ts";
import type { Store } from "../store/store.ts";
import { type Refused, type RefusedError, refusal } from "./refusal.ts";
import { type Chains, type ChainsState, endBatch, executeStep, fetchRows, type Phase, type Step, StopWatch, startCommit } from "./steps.ts";
import { HeightNotReachedError, type Wait, WaitingItems } from "./waiting-items.ts";

/** A batch ends when it reaches one of these. */
export interface BatchLimits {
  readonly blocks: number;
  readonly bytes: number;
  /** number of changed rows, counting rows that are overwritten again */
  readonly rows: number;
}

export const DEFAULT_BATCH: BatchLimits = { blocks: 512, bytes: 8 * 1024 * 1024, rows: 50_000 };

/** What one commit added. */
export interface Committed {
  readonly blocks: number;
  readonly transactions: number;
  readonly rows: number;
  readonly ms: Readonly<Record<Phase, number>>;
}

interface IngestOptions<C extends Chains> {
  readonly store: Store;
  /** loads the chains from the store */
  readonly open: () => Promise<C>;
  readonly limits?: BatchLimits;
  /** called once the store has a batch, with the chains' state at its end: they may be further by then */
  readonly onCommit?: (committed: Committed, state: ChainsState) => void;
  /** called once with a sentence that says what a chain has been waiting for, after a delay */
  readonly onWaiting?: (sentence: string) => void;
  /** called after each run with the number of items that wait, by chain */
  readonly onQueues?: (waiting: ReadonlyMap<Id, number>) => void;
  /** that delay in milliseconds; default 10,000 */
  readonly tellAfterMs?: number;
}

const TELL_AFTER_MS = 10_000;

/** An item of a batch. Without a step it must wait, for a reason of its own or behind others of its chain. */
interface Entry {
  readonly item: SourceItem;
  readonly step?: Step;
  readonly wait?: Wait;
  /** whether it has waited before */
  readonly isReady?: boolean;
}

export class Ingester<C extends Chains> {
  readonly #store: Store;
  readonly #open: () => Promise<C>;
  readonly #limits: BatchLimits;
  readonly #onCommit: NonNullable<IngestOptions<C>["onCommit"]>;
  readonly #onWaiting: NonNullable<IngestOptions<C>["onWaiting"]>;
  readonly #onQueues: NonNullable<IngestOptions<C>["onQueues"]>;
  readonly #tellAfterMs: number;
  #chains: C | undefined;
  #waiting = new WaitingItems();
  #teller: NodeJS.Timeout | undefined;
  /** the last commit; rejects if it failed, and then ends the run */
  #committing: Promise<void> = Promise.resolve();
  #failed = new AbortController();

  constructor({ store, open, limits = DEFAULT_BATCH, onCommit = () => {}, onWaiting = () => {}, ...options }: IngestOptions<C>) {
    this.#store = store;
    this.#open = open;
    this.#limits = limits;
    this.#onCommit = onCommit;
    this.#onWaiting = onWaiting;
    this.#onQueues = options.onQueues ?? (() => {});
    this.#tellAfterMs = options.tellAfterMs ?? TELL_AFTER_MS;
  }

  /** The chains as the last commit left them. */
  async chains(): Promise<C> {
    this.#chains ??= await this.#open();
    return this.#chains;
  }

  /** Ingests until the source ends or `signal` is aborted; everything executed is committed. */
  async run(source: Pick<Source, "items">, signal?: AbortSignal): Promise<void> {
    const chains = await this.chains();
    this.#committing = Promise.resolve();
    this.#failed = new AbortController();
    const stop = signal === undefined ? this.#failed.signal : AbortSignal.any([signal, this.#failed.signal]);
    try {
      // what is too much to wait is read again, as long as other chains get further
      while ((await this.#read(source, chains, stop)) > 0 && this.#waiting.isFull);
    } finally {
      clearTimeout(this.#teller);
      await this.#committing;
    }
    if (!signal?.aborted && !this.#waiting.isEmpty) throw this.#waiting.reason!.error;
  }

  /** Runs until the source ends or too many items wait. Returns the number of executed items. */
  async #read(source: Pick<Source, "items">, chains: C, signal: AbortSignal): Promise<number> {
    const waiting = new WaitingItems();
    this.#waiting = waiting;
    let executed = 0;
    for await (const run of source.items(chains.progress, { signal, isHeld: (chainId) => waiting.isHeld(chainId) })) {
      executed += await this.#ingestRun(run, chains, signal);
      this.#tellOfWaiting();
      this.#onQueues(waiting.counts);
      if (signal.aborted || waiting.isFull) break;
    }
    return signal.aborted ? 0 : executed;
  }

  /**
   * Ingests a run in batches, and waiting items as soon as possible. One batch is decoded ahead of the one being executed, so that other
   * threads can verify parts of it meanwhile. Returns the number of executed items.
   */
  async #ingestRun(run: readonly SourceItem[], chains: C, signal: AbortSignal): Promise<number> {
    let entries: Entry[] = [];
    let next: Entry[] = [];
    let total = 0;
    for (let at = 0; (at < run.length || this.#waiting.hasReady) && !signal.aborted; ) {
      const watch = new StopWatch();
      const ready = this.#waiting.ready(this.#limits.blocks).map((item) => ({ ...decoded(item, chains), isReady: true }));
      if (entries.length === 0 || this.#isStale(entries[0]!)) {
        entries = this.#decode(run, at, chains, { isAhead: false });
        next = [];
      }
      if (next.length === 0) next = this.#decode(run, at + entries.length, chains, { isAhead: true });
      watch.lap("decode");
      const { taken, executed } = await this.#batch([...ready, ...entries], chains, watch);
      at += taken;
      total += executed;
      entries = entries.slice(taken);
      if (entries.length === 0) [entries, next] = [next, []];
    }
    return total;
  }

  /**
   * Takes a first part of the entries, and starts to commit those that were executed. A refusal ends the batch before the item; if the item is the
   * first one, the refusal is thrown. Returns how many of the run were taken, and how many entries were executed.
   */
  async #batch(entries: readonly Entry[], chains: C, watch: StopWatch): Promise<{ taken: number; executed: number }> {
    const { view } = chains;
    await fetchRows(
      this.#store,
      view,
      entries.flatMap(({ step }) => step?.keysRead() ?? []),
    );
    watch.lap("fetch");
    let [taken, executed, transactions] = [0, 0, 0];
    const breaks = new Breaks();
    for (const entry of entries) {
      await breaks.take();
      if (view.mark() >= this.#limits.rows || this.#isStale(entry)) break;
      try {
        const accepted = await this.#take(entry, chains, watch);
        if (accepted !== undefined) executed++;
        transactions += accepted ?? 0;
      } catch (error) {
        if (executed === 0) throw error;
        break;
      }
      if (!entry.isReady) taken++;
    }
    if (executed === 0) return { taken, executed };
    await this.#commit({ blocks: executed, transactions }, chains, watch);
    return { taken, executed };
  }

  /** Executes an entry and returns the number of its transactions; undefined if it must wait. Throws if it is refused. */
  async #take({ item, step, wait, isReady = false }: Entry, { view }: C, watch: StopWatch): Promise<number | undefined> {
    const waiting = this.#waiting;
    if (isReady ? !waiting.mayTry(item) : waiting.has(item)) {
      if (!isReady) waiting.add(item);
      return undefined;
    }
    try {
      if (step === undefined) throw wait!.error;
      const transactions = await executeStep(step, view, this.#store, watch);
      waiting.executed(item, { wasWaiting: isReady });
      return transactions;
    } catch (error) {
      const reason = wait ?? waitOf(error, { ...item, ...step });
      if (reason === undefined) throw refusal(error, { ...item, ...step });
      waiting.block(item, reason);
      return undefined;
    } finally {
      watch.lap("execute");
    }
  }

  /** Whether the entry was not decoded because its chain waited, which it no longer does. */
  #isStale({ item, step, wait }: Entry): boolean {
    return step === undefined && wait === undefined && !this.#waiting.has(item);
  }

  /** The entries of one batch. The batch ends before an item that cannot be decoded; the error is thrown when that item is the next one. */
  #decode(run: readonly SourceItem[], from: number, chains: C, { isAhead }: { isAhead: boolean }): Entry[] {
    const entries: Entry[] = [];
    let bytes = 0;
    for (let at = from; at < run.length && entries.length < this.#limits.blocks && bytes < this.#limits.bytes; at++) {
      const item = run[at]!;
      const isFirst = entries.length === 0 && !isAhead;
      const entry = this.#waiting.has(item) ? { item } : isFirst ? decoded(item, chains) : decodedInOrder(item, chains);
      if (entry === undefined) break;
      bytes += entry.step?.byteLength ?? 0;
      entries.push(entry);
    }
    return entries;
  }

  /** Ranges of rows, which the view does not keep apart while a commit is under way. */
  readonly #committed: Ranges = {
    scan: async (table, range) => {
      await this.#committing;
      return this.#store.scan(table, range);
    },
  };

  /** Waits for the commit before, and starts this one. After a failure the view is ahead of the store, so it is discarded. */
  async #commit(counts: Pick<Committed, "blocks" | "transactions">, chains: C, watch: StopWatch): Promise<void> {
    try {
      await endBatch(chains, this.#store, watch, this.#committed);
      await this.#committing;
    } catch (error) {
      this.#chains = undefined;
      throw error;
    }
    const { network, progress } = chains;
    const { rows, done } = startCommit(chains, this.#store);
    this.#committing = done.then(() => this.#onCommit({ ...counts, rows, ms: watch.ms }, { network, progress }));
    this.#committing.catch(() => {
      this.#chains = undefined;
      this.#failed.abort();
    });
    // LMDB begins when this turn of the event loop ends
    await nextTurn();
    watch.lap("commit");
  }

  #tellOfWaiting(): void {
    clearTimeout(this.#teller);
    for (const { error } of this.#waiting.untold(this.#tellAfterMs)) this.#onWaiting(error.message);
    if (!this.#waiting.isEmpty) this.#teller = setTimeout(() => this.#tellOfWaiting(), this.#tellAfterMs);
  }
}

function decoded(item: SourceItem, chains: Chains): Entry {
  try {
    const step = chains.decode(item);
    if (step !== "not-yet") return { item, step };
  } catch (error) {
    throw refusal(error, item);
  }
  const error = new FirnError("unknown-chain", "no transaction on the P-chain has created this chain", { chainId: item.chainId });
  return { item, wait: { error: refusal(error, item) as RefusedError, awaitedChain: PLATFORM_CHAIN_ID } };
}

/** undefined if it must wait for those before it. */
function decodedInOrder(item: SourceItem, chains: Chains): Entry | undefined {
  try {
    const entry = decoded(item, chains);
    return entry.wait === undefined ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Why the item must wait; undefined if it is refused. */
function waitOf(error: unknown, refused: Refused): Wait | undefined {
  const early = causeOf(error, HeightNotReachedError);
  if (early !== undefined) {
    const waitsFor = `block ${early.pChainHeight} of chain P`;
    return { error: refusal(error, { ...refused, waitsFor }) as RefusedError, awaitedChain: PLATFORM_CHAIN_ID };
  }
  const missing = causeOf(error, NotExportedError);
  if (missing === undefined) return undefined;
  const { utxoId, sourceChain } = missing;
  const waitsFor = `UTXO ${formatId(utxoId)} of chain ${formatId(sourceChain)}`;
  return { error: refusal(error, { ...refused, waitsFor }) as RefusedError, awaitedChain: sourceChain };
}
