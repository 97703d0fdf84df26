/**
 * Which transactions of a mempool a new one builds on: it may spend what one makes that is in no block yet. What is made and what is needed
 * are names that a chain chooses (a transaction's ID, a subnet's, a validation's …), so "maybe" is enough: executing an ancestor that was
 * not needed does no harm. A transaction's ancestors are those of the time when it was admitted, so none can be its own ancestor.
 */

/** Ancestors of one transaction, beyond which it is taken as if it had none. */
const MAX_ANCESTORS = 256;

export interface ChainedTx {
  /** names that others may refer to, its ID among them */
  readonly makes: readonly string[];
  /** what it builds on, each behind its own ancestors; forgotten when it leaves, so that a chain does not keep all that came before */
  ancestors: readonly this[];
}

export class Ancestry<T extends ChainedTx> {
  /** in the order in which they were admitted */
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

  /** The makers of these names, each behind its own ancestors as far as `isWaiting`; none if that makes more than 256. */
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
