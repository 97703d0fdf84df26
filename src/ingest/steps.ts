/**
 * The interface between ingester and chains: chains decode a source's items into steps, which name the rows they read and then run over the
 * view. The ingester uses chains only through this interface.
 */

import type { Id } from "../base/bytes/id.ts";
import type { RuleLevel } from "../base/errors/rule-level.ts";
import { type MissingRows, NotPrefetchedError, type RowKey, type View } from "../base/table/view.ts";
import type { Ranges } from "../index/packed-list.ts";
import type { Fetch } from "../index/primary/projection.ts";
import type { ExecutionContext, UnwrappedBlock } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { Progress, SourceItem } from "../sources/source.ts";
import type { Store, StoreReader } from "../store/store.ts";

// Executes steps one by one over the view and commits them together. Nothing else writes executed steps to a store.

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

interface StartedCommit {
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

/** Loads the rows that the view does not know yet, with one read per table. */
export async function fetchRows(reader: StoreReader, view: View, wanted: readonly RowKey[]): Promise<void> {
  const read = async (missing: MissingRows) => view.loadMissing(missing, await reader.getMany(missing.table, [...missing.keys.values()]));
  await Promise.all([...view.missing(wanted)].map(read));
}

const NANOSECONDS = 1_000_000_000n;

/**
 * The clock used to verify a block is its time of acceptance, so that old blocks are checked as they were then. The time of
 * a block from before Banff that came without its container is not known (0). It spent locked outputs and was accepted, so their locks have
 * ended: the time of now does.
 */
export function executionContext(network: NetworkInstance, level: RuleLevel, acceptedAt: bigint): ExecutionContext {
  return { network, level, clock: acceptedAt === 0n ? BigInt(Math.floor(Date.now() / 1000)) : acceptedAt / NANOSECONDS };
}

/** One decoded item of a source. */
export interface Step {
  /** the chain's short name, for people: "P" */
  readonly chain: string;
  /** undefined for vertices and shared-memory operations */
  readonly height?: bigint;
  /** ID of the chain's own block, or of the vertex */
  readonly id?: Id;
  readonly byteLength: number;
  /** one name per transaction, for people; for a block that only decides another, the name of the decision */
  kinds?(): readonly string[];
  /** Work on other threads that `run` benefits from, started when the step was decoded. Never rejects. */
  readonly ahead?: Promise<unknown>;
  /** Rows that `run` reads. May be called again just before `run`, when more of them may be known. */
  keysRead(): RowKey[];
  /** Verifies, executes and projects. Returns the number of accepted transactions. */
  run(): number;
}

/** A decoded block. */
export interface BlockStep extends Step {
  readonly height: bigint;
  readonly block: { readonly id: Id; readonly parentId: Id };
  /** whether it decides a proposal */
  readonly isOption: boolean;
  readonly unwrapped: UnwrappedBlock;
}

/** How far the chains of a network are. */
export interface ChainsState {
  readonly network: NetworkInstance;
  readonly progress: Progress;
}

/** All chains of a store over one view. */
export interface Chains extends ChainsState {
  readonly view: View;
  /** The item as a step; "not-yet" if its chain is created by an earlier item that was not executed yet. */
  decode(item: SourceItem): Step | "not-yet";
  /** Ends a batch: makes the rows that combine several steps. If it fails, the chains are unusable. */
  flush(fetch: Fetch, ranges: Ranges): Promise<void>;
}
