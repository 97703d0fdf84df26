/**
 * The one ingest loop, the same for every source and every store: decode a run of items, fetch all rows that they read, execute and
 * project them in memory, commit everything in one atomic batch. What is in the store is the only state: ingest may stop anywhere, and goes
 * on from there. An item that is refused stops it, after what came before was committed.
 */
import { FirnError } from "../primitives/errors.ts";
import type { Table, TableKey } from "../primitives/table.ts";
import { NotPrefetchedError, type RowKey, type View } from "../primitives/view.ts";
import type { Source, SourceItem } from "../source/source.ts";
import type { Store, StoreReader } from "../store/store.ts";
import { refusal } from "./refusal.ts";
import type { Chains, Step } from "./steps.ts";

/** A batch ends when it has reached one of these. */
export interface BatchLimits {
  readonly blocks: number;
  readonly bytes: number;
  /** changed rows, those overwritten again included */
  readonly rows: number;
}

export const DEFAULT_BATCH: BatchLimits = { blocks: 512, bytes: 8 * 1024 * 1024, rows: 50_000 };

/** What one commit added. */
export interface Committed {
  readonly blocks: number;
  readonly transactions: number;
  readonly rows: number;
  /** `ahead`: waiting for what other threads verify */
  readonly ms: {
    readonly decode: number;
    readonly fetch: number;
    readonly ahead: number;
    readonly execute: number;
    readonly index: number;
    readonly commit: number;
  };
}

export interface IngestOptions<C extends Chains> {
  readonly store: Store;
  /** loads the chains as the store has them */
  readonly open: () => Promise<C>;
  readonly limits?: BatchLimits;
  readonly onCommit?: (committed: Committed, chains: C) => void;
}

export class Ingester<C extends Chains> {
  readonly #store: Store;
  readonly #open: () => Promise<C>;
  readonly #limits: BatchLimits;
  readonly #onCommit: NonNullable<IngestOptions<C>["onCommit"]>;
  #chains: C | undefined;

  constructor({ store, open, limits = DEFAULT_BATCH, onCommit = () => {} }: IngestOptions<C>) {
    this.#store = store;
    this.#open = open;
    this.#limits = limits;
    this.#onCommit = onCommit;
  }

  /** The chains as the last commit left them. */
  async chains(): Promise<C> {
    this.#chains ??= await this.#open();
    return this.#chains;
  }

  /** Ingests until the source ends or `signal` is aborted; then everything executed is committed. */
  async run(source: Pick<Source, "items">, signal?: AbortSignal): Promise<void> {
    const chains = await this.chains();
    for await (const run of source.items(chains.progress)) {
      await this.#ingestRun(run, chains, signal);
      if (signal?.aborted) return;
    }
  }

  /** One batch is decoded ahead of the one that is executed, so that what other threads verify of it is ready at its turn. */
  async #ingestRun(run: readonly SourceItem[], chains: C, signal: AbortSignal | undefined): Promise<void> {
    let steps: Step[] = [];
    let next: Step[] = [];
    for (let at = 0; at < run.length && !signal?.aborted; ) {
      const watch = new StopWatch();
      if (steps.length === 0) steps = this.#decode(run, at, chains, { isAhead: false });
      if (next.length === 0) next = this.#decode(run, at + steps.length, chains, { isAhead: true });
      watch.lap("decode");
      const done = await this.#batch(run, at, steps, chains, watch);
      at += done;
      steps = steps.slice(done);
      if (steps.length === 0) [steps, next] = [next, []];
    }
  }

  /**
   * Ingests a leading part of `steps`, the items of `run` from `at` on, in one commit, and returns how many that were. A refusal ends the
   * batch before the item; if nothing comes before it, it is thrown.
   */
  async #batch(run: readonly SourceItem[], at: number, steps: readonly Step[], chains: C, watch: StopWatch): Promise<number> {
    const { view } = chains;
    await fetchRows(
      this.#store,
      view,
      steps.flatMap((step) => step.keysRead()),
    );
    watch.lap("fetch");
    let done = 0;
    let transactions = 0;
    while (done < steps.length && view.mark() < this.#limits.rows) {
      try {
        transactions += await this.#execute(steps[done]!, view, watch);
      } catch (error) {
        if (done === 0) throw refusal(error, { ...run[at], ...steps[0] });
        break;
      } finally {
        watch.lap("execute");
      }
      done++;
    }
    const rows = await this.#commit(chains, watch);
    this.#onCommit({ blocks: done, transactions, rows, ms: watch.ms }, chains);
    return done;
  }

  /** The steps of one batch. It ends before an item that cannot be decoded: that is thrown when its turn has come, not ahead of it. */
  #decode(run: readonly SourceItem[], from: number, chains: C, { isAhead }: { isAhead: boolean }): Step[] {
    const steps: Step[] = [];
    let bytes = 0;
    for (let at = from; at < run.length && steps.length < this.#limits.blocks && bytes < this.#limits.bytes; at++) {
      const step = decoded(run[at]!, chains, { isFirst: steps.length === 0 && !isAhead });
      if (step === undefined) break;
      bytes += step.byteLength;
      steps.push(step);
    }
    return steps;
  }

  /** An item may read rows that could not be told before those ahead of it were executed: they are fetched at its turn. */
  async #execute(step: Step, view: View, watch: StopWatch): Promise<number> {
    if (step.ahead !== undefined) {
      await step.ahead;
      watch.lap("ahead");
    }
    for (let isRetry = false; ; isRetry = true) {
      const mark = view.mark();
      try {
        return step.run();
      } catch (error) {
        view.rollback(mark);
        if (!(error instanceof NotPrefetchedError) || isRetry) throw error;
        await fetchRows(this.#store, view, step.keysRead());
      }
    }
  }

  /** A failure leaves a view that is ahead of the store: it is thrown away. */
  async #commit(chains: C, watch: StopWatch): Promise<number> {
    const { view } = chains;
    try {
      await chains.flush((keys) => fetchRows(this.#store, view, keys));
      watch.lap("index");
      const changes = view.drain();
      await this.#store.commit(changes);
      view.evict();
      watch.lap("commit");
      return changes.length;
    } catch (error) {
      this.#chains = undefined;
      throw error;
    }
  }
}

/** undefined if the item must wait for those before it; the first one has none to wait for. */
function decoded(item: SourceItem, chains: Chains, { isFirst }: { isFirst: boolean }): Step | undefined {
  try {
    const step = chains.decode(item);
    if (step !== "not-yet") return step;
    throw new FirnError("unknown-chain", "no transaction on the P-chain has created this chain", { chainId: item.chainId });
  } catch (error) {
    if (isFirst) throw refusal(error, item);
    return undefined;
  }
}

/** Loads the rows that the view does not know yet, one read per table. */
export async function fetchRows(reader: StoreReader, view: View, wanted: readonly RowKey[]): Promise<void> {
  const missing = new Map<Table, TableKey<Table>[]>();
  for (const row of wanted) {
    if (view.knows(row)) continue;
    const keys = missing.get(row.table);
    if (keys === undefined) missing.set(row.table, [row.key]);
    else keys.push(row.key);
  }
  for (const [table, keys] of missing) {
    const values = await reader.getMany(table, keys);
    for (const [index, key] of keys.entries()) view.load(table, key, values[index]);
  }
}

type Phase = keyof Committed["ms"];

class StopWatch {
  readonly ms: Record<Phase, number> = { decode: 0, fetch: 0, ahead: 0, execute: 0, index: 0, commit: 0 };
  #since = performance.now();

  lap(phase: Phase): void {
    const now = performance.now();
    this.ms[phase] += now - this.#since;
    this.#since = now;
  }
}
