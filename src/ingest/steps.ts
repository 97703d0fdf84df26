/**
 * The interface between ingester and chains: chains decode a source's items into steps, which name the rows they read and then run over the
 * view. The ingester uses chains only through this interface.
 */

import type { Id } from "../base/bytes/id.ts";
import type { RuleLevel } from "../base/errors/rule-level.ts";
import type { RowKey, View } from "../base/table/view.ts";
import type { Ranges } from "../index/packed-list.ts";
import type { Fetch } from "../index/primary/projection.ts";
import type { ExecutionContext, UnwrappedBlock } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { Progress, SourceItem } from "../sources/source.ts";

const NANOSECONDS = 1_000_000_000n;

/**
 * The clock used to verify a block is its time of acceptance, so that old blocks are checked as they were then. Of a block from before Banff
 * that came without its container the time is not known (0): what was locked until then was accepted, so it is not locked today.
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
