/** Executes steps one by one over the view and commits them together. Nothing else writes executed steps to a store. */

import { type MissingRows, NotPrefetchedError, type RowKey, type View } from "../base/table/view.ts";
import type { Ranges } from "../index/packed-list.ts";
import type { Store, StoreReader } from "../store/store.ts";
import type { Chains, Step } from "./steps.ts";

/**
 * The parts of a batch's time, in this thread. `ahead`: waiting for verification on other threads; `commit`: waiting for the batch before, and
 * encoding its own rows
 */
export type Phase = "decode" | "fetch" | "ahead" | "execute" | "index" | "commit";

export class StopWatch {
  readonly ms: Record<Phase, number> = { decode: 0, fetch: 0, ahead: 0, execute: 0, index: 0, commit: 0 };
  #since = performance.now();

  lap(phase: Phase): void {
    const now = performance.now();
    this.ms[phase] += now - this.#since;
    this.#since = now;
  }
}

/**
 * Returns the number of transactions. A step that fails leaves the view unchanged. Rows that were unknown until the previous steps were
 * executed are fetched now.
 */
export async function executeStep(step: Step, view: View, reader: StoreReader, watch: StopWatch): Promise<number> {
  if (step.ahead !== undefined) {
    await step.ahead;
    watch.lap("ahead");
  }
  for (let isRetry = false; ; isRetry = true) {
    try {
      return view.whole(() => step.run());
    } catch (error) {
      if (!(error instanceof NotPrefetchedError) || isRetry) throw error;
      await fetchRows(reader, view, step.keysRead());
    }
  }
}

/**
 * Ends a batch: makes the rows that combine several steps. If it fails, the chains are unusable.
 * @param ranges reads what the commit before this batch left, also if that is still under way
 */
export async function endBatch(chains: Chains, store: StoreReader, watch: StopWatch, ranges: Ranges = store): Promise<void> {
  await chains.flush((keys) => fetchRows(store, chains.view, keys), ranges);
  watch.lap("index");
}

export interface StartedCommit {
  readonly rows: number;
  /** If it rejects, the chains are ahead of the store. */
  readonly done: Promise<void>;
}

/** Starts the commit of everything executed since the last one began. The next batch can be executed meanwhile; commits must not overlap. */
export function startCommit({ view }: Chains, store: Store): StartedCommit {
  const changes = view.beginCommit();
  const done = store.commit(changes).then(() => view.endCommit());
  return { rows: changes.length, done };
}

/** Commits everything executed since the last call, and returns the number of rows. After a failure the chains are ahead of the store. */
export async function commitChains(chains: Chains, store: Store, watch: StopWatch): Promise<number> {
  await endBatch(chains, store, watch);
  const { rows, done } = startCommit(chains, store);
  await done;
  watch.lap("commit");
  return rows;
}

/** Loads the rows that the view does not know yet, with one read per table. */
export async function fetchRows(reader: StoreReader, view: View, wanted: readonly RowKey[]): Promise<void> {
  const read = async (missing: MissingRows) => view.loadMissing(missing, await reader.getMany(missing.table, [...missing.keys.values()]));
  await Promise.all([...view.missing(wanted)].map(read));
}
