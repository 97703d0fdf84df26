/**
 * Records what happens while a block is executed, in addition to rows: the input of the block's facts. Every entry is undone together with
 * the view's rows, so a refused transaction or a proposal's other branch leaves no trace.
 */

import type { Id, NodeId } from "../../../base/bytes/id.ts";
import type { View } from "../../../base/table/view.ts";
import type { ConsumedUtxo, ProducedUtxo } from "../../../network/execution.ts";
import type { SharedElement } from "../../shared-memory/shared-memory.ts";
import type { PlatformEvent, PlatformFacts, TxEvent } from "../facts.ts";
import type { ValidatorMember } from "../tables.ts";

/** A validator-set member that the block changes, as it was before the block. */
export interface TouchedMember {
  readonly subnetId: Id;
  readonly nodeId: NodeId;
  readonly before: ValidatorMember | undefined;
}

export type CreatedChain = PlatformFacts["createdChains"][number];

/** Lengths of the lists before a transaction. */
export interface TxStart {
  readonly produced: number;
  readonly consumed: number;
  readonly imports: number;
  readonly exports: number;
}

export class BlockChanges {
  readonly #view: View;
  readonly produced: ProducedUtxo[] = [];
  readonly consumed: ConsumedUtxo[] = [];
  readonly createdChains: CreatedChain[] = [];
  /** UTXOs imported from other chains; they leave shared memory when the block is accepted */
  readonly imports: { readonly sourceChain: Id; readonly utxoIds: readonly Id[] }[] = [];
  readonly exports: { readonly destinationChain: Id; readonly elements: readonly SharedElement[] }[] = [];
  /** all events, in order */
  readonly events: PlatformEvent[] = [];
  #txCount = 0;
  readonly touched = new Map<string, TouchedMember>();
  /** validators that were in their set before the block and left it in the block */
  readonly #left = new Set<string>();
  readonly #entered = new Set<string>();

  constructor(view: View) {
    this.#view = view;
  }

  record<T>(list: T[], entry: T): void {
    list.push(entry);
    this.#view.onRollback(() => list.pop());
  }

  /** Call this before a transaction is executed; later entries belong to the transaction. */
  beginTx(): TxStart {
    const { produced, consumed, imports, exports } = this;
    return { produced: produced.length, consumed: consumed.length, imports: imports.length, exports: exports.length };
  }

  /** Records a decided transaction; its effects are the entries since `start`. */
  endTx(start: TxStart, decided: Pick<TxEvent, "tx" | "isCommitted" | "blockId" | "height">): void {
    const index = this.#txCount++;
    this.#view.onRollback(() => {
      this.#txCount--;
    });
    this.record(this.events, {
      kind: "tx",
      ...decided,
      index,
      produced: this.produced.slice(start.produced),
      consumed: this.consumed.slice(start.consumed),
      imported: this.imports.slice(start.imports),
      exported: this.exports.slice(start.exports),
    });
  }

  /** Remembers a member's value before its first change in this block. */
  touch(subnetId: Id, nodeId: NodeId, before: () => ValidatorMember | undefined): void {
    const key = subnetId + nodeId;
    if (this.touched.has(key)) return;
    this.touched.set(key, { subnetId, nodeId, before: before() });
    this.#view.onRollback(() => this.touched.delete(key));
  }

  /** Records that a validator entered a set (`key` names set, subnet and node). */
  enter(key: string): void {
    this.#add(this.#entered, key);
  }

  leave(key: string): void {
    if (this.#entered.delete(key)) this.#view.onRollback(() => this.#entered.add(key));
    else this.#add(this.#left, key);
  }

  hasLeft(key: string): boolean {
    return this.#left.has(key);
  }

  #add(set: Set<string>, key: string): void {
    if (set.has(key)) return;
    set.add(key);
    this.#view.onRollback(() => set.delete(key));
  }
}
