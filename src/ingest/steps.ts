/**
 * What the ingester drives: items of a source, decoded by their chains into steps that name the rows they read and then run over the view.
 * The ingester knows chains only through this interface.
 */
import type { Id } from "../primitives/id.ts";
import type { RowKey, View } from "../primitives/view.ts";
import type { Progress, SourceItem } from "../source/source.ts";

/** One item of a source, decoded. */
export interface Step {
  /** the chain's short name, for people: "P" */
  readonly chain: string;
  /** undefined for what has none: vertices, shared memory */
  readonly height?: bigint;
  /** of the chain's own block, or of the vertex */
  readonly id?: Id;
  readonly byteLength: number;
  /** what its transactions are called, one name each, for people; of a block that only decides on another, what that does */
  kinds?(): readonly string[];
  /** Work on other threads that `run` profits from, under way since the step was decoded. Never rejects. */
  readonly ahead?: Promise<unknown>;
  /** Rows that `run` reads. May be asked again just before `run`, when it may know more. */
  keysRead(): RowKey[];
  /** Verifies, executes and projects. Returns the number of transactions that were accepted. */
  run(): number;
}

/** All chains of a store over one view. */
export interface Chains {
  readonly view: View;
  readonly progress: Progress;
  /** The item as a step; "not-yet" if its chain comes into being by an item before it that has not been executed. */
  decode(item: SourceItem): Step | "not-yet";
  /** Ends a batch: makes the rows that are made of several steps at once. If it fails, the chains are of no use. */
  flush(fetch: (keys: readonly RowKey[]) => Promise<void>): Promise<void>;
}
