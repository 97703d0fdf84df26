/** Tracks which transaction claims which input: no two transactions in a mempool claim the same one. */
import type { Id } from "../../base/bytes/id.ts";
import type { MempoolTx } from "./mempool.ts";

export class Claims<T extends MempoolTx> {
  readonly #claimants = new Map<Id, T>();

  add(tx: T): void {
    for (const input of tx.inputs) this.#claimants.set(input, tx);
  }

  delete(tx: T): void {
    for (const input of tx.inputs) this.#claimants.delete(input);
  }

  isClaimed(inputs: readonly Id[]): boolean {
    return inputs.some((input) => this.#claimants.has(input));
  }

  /** The transactions that claim one of the inputs, without repetition. */
  of(inputs: readonly Id[]): T[] {
    const found = new Set<T>();
    for (const input of inputs) {
      const tx = this.#claimants.get(input);
      if (tx !== undefined) found.add(tx);
    }
    return [...found];
  }

  clear(): void {
    this.#claimants.clear();
  }
}
