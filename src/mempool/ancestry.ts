/**
 * Which transactions of a mempool others build on: a transaction may spend what one makes that is in no block yet. What is made and what
 * is needed are names that a chain chooses (a transaction's ID, a subnet's, a validation's …), so that "maybe" is enough: executing an
 * ancestor that was not needed does no harm.
 */
import type { Id } from "../primitives/id.ts";

/** Ancestors of one transaction, counted transitively, beyond which it is taken as if it had none. */
const MAX_ANCESTORS = 256;

export interface ChainedTx {
  readonly id: Id;
  /** names that others may refer to, its ID among them */
  readonly makes: readonly string[];
  /** names that it refers to */
  readonly needs: readonly string[];
}

export class Ancestry<T extends ChainedTx> {
  readonly #makers = new Map<string, Set<T>>();

  add(tx: T): void {
    for (const name of tx.makes) {
      const makers = this.#makers.get(name);
      if (makers === undefined) this.#makers.set(name, new Set([tx]));
      else makers.add(tx);
    }
  }

  delete(tx: T): void {
    for (const name of tx.makes) {
      const makers = this.#makers.get(name);
      makers?.delete(tx);
      if (makers?.size === 0) this.#makers.delete(name);
    }
  }

  /** All that a transaction may build on, each behind its own ancestors; none if there are more than 256. */
  of(tx: ChainedTx): T[] {
    const ordered = new Set<T>();
    const seen = new Set<Id>([tx.id]);
    // depth first with a stack of its own: chains are up to 256 long
    const stack: { tx: T | undefined; parents: Iterator<T> }[] = [{ tx: undefined, parents: this.#parents(tx) }];
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      const next = top.parents.next();
      if (next.done) {
        if (top.tx !== undefined) ordered.add(top.tx);
        stack.pop();
      } else if (!seen.has(next.value.id)) {
        seen.add(next.value.id);
        if (seen.size > MAX_ANCESTORS + 1) return [];
        stack.push({ tx: next.value, parents: this.#parents(next.value) });
      }
    }
    return [...ordered];
  }

  clear(): void {
    this.#makers.clear();
  }

  *#parents(tx: ChainedTx): Generator<T> {
    for (const name of tx.needs) yield* this.#makers.get(name) ?? [];
  }
}
