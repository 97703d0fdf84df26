/** The current blocks of a replayed node: the recorded ones up to a head, or a generated branch on top of some of them. */

import { inventBranch } from "./invented-branch.ts";
import type { RecordedBlock } from "./recording.ts";

export class ServedChain {
  readonly #recorded: readonly RecordedBlock[];
  #blocks: readonly RecordedBlock[];
  #byHash: Map<string, RecordedBlock> | undefined;
  #byTransaction: Map<string, { block: RecordedBlock; index: number }> | undefined;
  #branches = 0;

  constructor(recorded: readonly RecordedBlock[], head: number) {
    this.#recorded = recorded;
    this.#blocks = recorded.slice(0, head + 1);
  }

  get head(): number {
    return this.#blocks.length - 1;
  }

  get blocks(): readonly RecordedBlock[] {
    return this.#blocks;
  }

  block(height: number): RecordedBlock | undefined {
    return this.#blocks[height];
  }

  blockByHash(hash: string): RecordedBlock | undefined {
    this.#byHash ??= new Map(this.#blocks.map((block) => [block.block.hash, block]));
    return this.#byHash.get(hash);
  }

  transaction(hash: string): { block: RecordedBlock; index: number } | undefined {
    this.#byTransaction ??= new Map(
      this.#blocks.flatMap((block) => block.block.transactions.map((transaction, index) => [transaction.hash, { block, index }] as const)),
    );
    return this.#byTransaction.get(hash);
  }

  /** Is the block one of the recorded chain? Of others no state is known. */
  isRecorded(height: number): boolean {
    return this.#blocks[height] !== undefined && this.#blocks[height] === this.#recorded[height];
  }

  /** More or fewer blocks of the same branch; above a made-up branch there is nothing. */
  setHead(head: number): void {
    const onRecorded = this.isRecorded(this.head);
    if (head > this.head && !onRecorded) throw new Error(`the made-up branch ends at ${this.head}; restore() the recorded one`);
    this.#replace(onRecorded ? this.#recorded.slice(0, head + 1) : this.#blocks.slice(0, head + 1));
  }

  reorganise(depth: number, length: number, seed: number | undefined): void {
    const kept = this.#blocks.length - depth;
    if (kept < 1) throw new Error(`only ${this.head} blocks can be replaced, not ${depth}`);
    this.#branches++;
    this.#replace([...this.#blocks.slice(0, kept), ...inventBranch(this.#blocks, depth, length, seed ?? this.#branches)]);
  }

  restore(head: number): void {
    this.#replace(this.#recorded.slice(0, head + 1));
  }

  #replace(blocks: readonly RecordedBlock[]): void {
    this.#blocks = blocks;
    this.#byHash = undefined;
    this.#byTransaction = undefined;
  }
}
