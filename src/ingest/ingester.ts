/**
 * The one ingest loop, the same for every source and every store: decode a run of items, fetch all rows that they read, execute and
 * project them in memory, commit everything in one atomic batch. What is in the store is the only state: ingest may stop anywhere, and goes
 * on from there. An item that is refused stops it, after what came before was committed.
 */
import { FirnError } from "../primitives/errors.ts";
import type { Source, SourceItem } from "../source/source.ts";
import type { Store } from "../store/store.ts";
import { commitChains, executeStep, fetchRows, type Phase, StopWatch } from "./execute.ts";
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
  readonly ms: Readonly<Record<Phase, number>>;
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
        transactions += await executeStep(steps[done]!, view, this.#store, watch);
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

  /** A failure leaves a view that is ahead of the store: it is thrown away. */
  async #commit(chains: C, watch: StopWatch): Promise<number> {
    try {
      return await commitChains(chains, this.#store, watch);
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
