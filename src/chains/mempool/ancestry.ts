/**
 * Finds the transactions in a mempool that a new one may build on, because it uses what they create and no block contains yet. A chain
 * chooses the names of what is created and needed (IDs of transactions, subnets, validations …). A possible ancestor is enough, because
 * executing one that was not needed does no harm. Ancestors are determined at admission, so no transaction can be its own ancestor.
 */

/** A transaction with more ancestors is treated as if it had none. */
const MAX_ANCESTORS = 256;

export interface ChainedTx {
  /** names that others may refer to, including its ID */
  readonly makes: readonly string[];
  /**
   * what it builds on, each after its own ancestors; emptied when it leaves, so that a chain of transactions does not keep all earlier ones
   * in memory
   */
  ancestors: readonly this[];
}

export class Ancestry<T extends ChainedTx> {
  /** in order of admission */
  readonly #makers = new Map<string, Set<T>>();

  add(tx: T): void {
    for (const name of tx.makes) {
      const makers = this.#makers.get(name);
      if (makers === undefined) this.#makers.set(name, new Set([tx]));
      else makers.add(tx);
    }
  }

  delete(tx: T): void {
    tx.ancestors = [];
    for (const name of tx.makes) {
      const makers = this.#makers.get(name);
      makers?.delete(tx);
      if (makers?.size === 0) this.#makers.delete(name);
    }
  }

  /** The waiting makers of these names, each after its own ancestors; none if there are more than 256. */
  of(needs: Iterable<string>, isWaiting: (ancestor: T) => boolean): T[] {
    const ancestors = new Set<T>();
    for (const name of needs) {
      for (const maker of this.#makers.get(name) ?? []) {
        for (const ancestor of [...maker.ancestors, maker]) if (isWaiting(ancestor)) ancestors.add(ancestor);
        if (ancestors.size > MAX_ANCESTORS) return [];
      }
    }
    return [...ancestors];
  }

  clear(): void {
    this.#makers.clear();
  }
}
