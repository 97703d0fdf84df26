/**
 * The P-chain's mempool with the reference node's limits and texts: highest gas price first, 1,000,000 gas in total; cheaper transactions
 * make room for others. It verifies nothing.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { RuleError } from "../../../network/execution.ts";
import { Ancestry } from "../../mempool/ancestry.ts";
import { Claims } from "../../mempool/claims.ts";
import { DroppedTxs } from "../../mempool/dropped.ts";
import { SortedList } from "../state/sorted-list.ts";
import type { SignedTx } from "../tx/signed-tx.ts";
import type { PendingTx } from "./pending-tx.ts";
import { namesNeeded } from "./tx-names.ts";

const MAX_GAS = 1_000_000n;

export class PlatformMempool {
  readonly #txs = new Map<Id, PendingTx>();
  readonly #byPrice = new SortedList(compareByPrice);
  readonly #claims = new Claims<PendingTx>();
  readonly #ancestry = new Ancestry<PendingTx>();
  readonly #dropped = new DroppedTxs();
  #gasLeft = MAX_GAS;

  get size(): number {
    return this.#txs.size;
  }

  has(txId: Id): boolean {
    return this.#txs.has(txId);
  }

  get(txId: Id): PendingTx | undefined {
    return this.#txs.get(txId);
  }

  /** The waiting transactions that a new one may build on, in execution order. */
  ancestorsOf(tx: SignedTx): PendingTx[] {
    return this.size === 0 ? [] : this.#ancestry.of(namesNeeded(tx), ({ id }) => this.has(id));
  }

  checkConflicts(inputs: readonly Id[]): void {
    if (this.#claims.isClaimed(inputs)) throw new RuleError("mempool-conflict", "tx conflicts with other tx");
  }

  add(tx: PendingTx): void {
    this.checkConflicts(tx.inputs);
    this.#makeRoom(tx);
    this.#txs.set(tx.id, tx);
    this.#byPrice.add(tx);
    this.#claims.add(tx);
    this.#ancestry.add(tx);
    this.#dropped.delete(tx.id);
    this.#gasLeft -= tx.gas;
  }

  /** In the order of blocks: highest gas price first, but each after those it builds on. */
  *inOrder(): Generator<PendingTx> {
    const seen = new Set<PendingTx>();
    for (const tx of this.#byPrice.items.toReversed()) {
      for (const next of [...tx.ancestors, tx]) {
        if (seen.has(next) || !this.has(next.id)) continue;
        seen.add(next);
        yield next;
      }
    }
  }

  remove(txId: Id): void {
    const tx = this.#txs.get(txId);
    if (tx === undefined) return;
    this.#txs.delete(txId);
    this.#byPrice.remove(tx);
    this.#claims.delete(tx);
    this.#ancestry.delete(tx);
    this.#gasLeft += tx.gas;
  }

  /** Removes a transaction, if present, and remembers the reason. */
  drop(txId: Id, reason: Error): void {
    this.remove(txId);
    this.#dropped.set(txId, reason);
  }

  dropReason(txId: Id): Error | undefined {
    return this.#dropped.get(txId);
  }

  clear(): void {
    for (const txId of [...this.#txs.keys()]) this.remove(txId);
    this.#dropped.clear();
  }

  /** Drops the cheapest transactions, if all of them are cheaper than the new one. */
  #makeRoom({ gas, gasPrice }: PendingTx): void {
    let missing = gas - this.#gasLeft;
    const leaving: PendingTx[] = [];
    for (const tx of this.#byPrice.items) {
      if (missing <= 0n || tx.gasPrice >= gasPrice) break;
      leaving.push(tx);
      missing -= tx.gas;
    }
    if (missing > 0n) throw new RuleError("not-enough-gas", "not enough gas");
    for (const tx of leaving) this.remove(tx.id);
  }
}

function compareByPrice(a: PendingTx, b: PendingTx): number {
  if (a.gasPrice !== b.gasPrice) return a.gasPrice - b.gasPrice;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
