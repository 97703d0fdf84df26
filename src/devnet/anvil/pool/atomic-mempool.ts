/**
 * Atomic transactions that wait for a C-chain block, ordered by gas price, as in the node's own pools: coreth's before Helicon, saevm's
 * since. A transaction that pays more replaces those it conflicts with and, in a full pool, the one that pays least.
 */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import type { AtomicTx } from "../../../chains/atomic/tx.ts";
import { Claims, DroppedTxs } from "../../../chains/mempool/mempool.ts";
import { RuleError } from "../../../network/execution.ts";

export interface PooledTx {
  readonly id: Id;
  readonly size: number;
  /** UTXOs, and accounts with a nonce: no two transactions of a block may share one */
  readonly inputs: readonly Id[];
  readonly tx: AtomicTx;
  readonly gas: bigint;
  /** aAVAX burned per gas */
  readonly gasPrice: bigint;
}

/** The differences between the node's two pools. */
interface PoolDialect {
  readonly capacity: number;
  conflict(tx: PooledTx, best: PooledTx, count: number): RuleError;
  tooCheap(tx: PooledTx, worst: PooledTx): RuleError;
}

export const corethPool: PoolDialect = {
  capacity: 4096,
  conflict: (tx, best, count) =>
    new RuleError(
      "mempool-conflict",
      `conflict present: issued tx (${formatId(tx.id)}) gas price ${tx.gasPrice} <= conflict tx (${formatId(best.id)}) gas price ${best.gasPrice} (${count} total conflicts in mempool)`,
    ),
  tooCheap: (tx, worst) => new RuleError("insufficient-fee", `insufficient fee currentMin=${worst.gasPrice} provided=${tx.gasPrice}`),
};

const tooCheap = () => new RuleError("insufficient-fee", "insufficient fee");
export const saevmPool: PoolDialect = { capacity: 1024, conflict: tooCheap, tooCheap };

export class AtomicMempool {
  readonly #txs = new Map<Id, PooledTx>();
  readonly #claims = new Claims<PooledTx>();
  readonly #dropped = new DroppedTxs();

  get size(): number {
    return this.#txs.size;
  }

  has(txId: Id): boolean {
    return this.#txs.has(txId);
  }

  get(txId: Id): PooledTx | undefined {
    return this.#txs.get(txId);
  }

  add(tx: PooledTx, dialect: PoolDialect): void {
    const conflicts = this.#claims.of(tx.inputs);
    const best = conflicts.reduce<PooledTx | undefined>((high, one) => (high && high.gasPrice >= one.gasPrice ? high : one), undefined);
    if (best !== undefined && tx.gasPrice <= best.gasPrice) {
      const count = tx.inputs.filter((input) => this.#claims.isClaimed([input])).length;
      throw dialect.conflict(tx, best, count);
    }
    for (const { id } of conflicts) this.drop(id, "replaced by a transaction that pays more");
    if (this.size >= dialect.capacity) this.#makeRoomFor(tx, dialect);
    this.#txs.set(tx.id, tx);
    this.#claims.add(tx);
    this.#dropped.delete(tx.id);
  }

  /** Highest gas price first; equal ones in order of arrival. */
  best(): PooledTx[] {
    return [...this.#txs.values()].sort((a, b) => (a.gasPrice === b.gasPrice ? 0 : a.gasPrice > b.gasPrice ? -1 : 1));
  }

  drop(txId: Id, reason: string): void {
    if (this.#remove(txId)) this.#dropped.set(txId, new Error(reason));
  }

  /** Removes a block's transactions and those that conflict with them. */
  accepted(txIds: readonly Id[]): void {
    for (const txId of txIds) this.#remove(txId);
  }

  dropReason(txId: Id): string | undefined {
    return this.#dropped.get(txId)?.message;
  }

  clear(): void {
    this.#txs.clear();
    this.#claims.clear();
    this.#dropped.clear();
  }

  #makeRoomFor(tx: PooledTx, dialect: PoolDialect): void {
    let worst: PooledTx | undefined;
    for (const one of this.#txs.values()) if (worst === undefined || one.gasPrice < worst.gasPrice) worst = one;
    if (worst === undefined) return;
    if (tx.gasPrice <= worst.gasPrice) throw dialect.tooCheap(tx, worst);
    this.drop(worst.id, "made room for a transaction that pays more");
  }

  #remove(txId: Id): boolean {
    const tx = this.#txs.get(txId);
    if (tx === undefined) return false;
    this.#txs.delete(txId);
    this.#claims.delete(tx);
    return true;
  }
}

/** Inputs that no other transaction may use: UTXOs by ID, accounts by nonce and address. */
export function inputsOf({ unsigned }: AtomicTx): Id[] {
  if (unsigned.kind === "ImportTx") return unsigned.importedInputs.map(utxoIdOf);
  const accounts = unsigned.inputs.map(({ address, nonce }) => `${nonce.toString(16).padStart(16, "0")}${address}`.padEnd(64, "0"));
  return [...new Set(accounts)];
}
