/**
 * Transactions that wait for a block, the oldest first, with the limits and texts of the reference node's generic mempool
 * (rpc-avm-info-health 3.7): 64 KiB per transaction, 64 MiB in total, and no two with a common input. It remembers why the last ones were
 * dropped. It verifies nothing and knows no chain.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { isMadeOf } from "../../base/errors/errors.ts";
import { RuleError } from "../../network/execution.ts";
import { Claims } from "./claims.ts";
import { DroppedTxs } from "./dropped.ts";

export const MAX_TX_BYTES = 64 * 1024;
export const MAX_MEMPOOL_BYTES = 64 * 1024 * 1024;

/** The mempool is full, which says nothing about the transaction itself. */
export class MempoolFullError extends RuleError {
  /** @param left bytes */
  constructor(txId: Id, size: number, left: number) {
    super("mempool-full", `mempool is full: ${formatId(txId)} size (${size}) > available space (${left})`, { txId, size });
  }
}

export interface MempoolTx {
  readonly id: Id;
  /** bytes */
  readonly size: number;
  /** what no other transaction in the mempool may use: UTXO IDs, and whatever else the chain treats as an input */
  readonly inputs: readonly Id[];
}

export class Mempool<T extends MempoolTx> {
  readonly #txs = new Map<Id, T>();
  readonly #claims = new Claims<T>();
  readonly #dropped = new DroppedTxs();
  #bytesLeft = MAX_MEMPOOL_BYTES;

  get size(): number {
    return this.#txs.size;
  }

  get bytesLeft(): number {
    return this.#bytesLeft;
  }

  /** Throws with the node's text if the transaction is already here, too large, does not fit, or conflicts with another one. */
  add(tx: T): void {
    this.#checkSize(tx);
    if (this.#claims.isClaimed(tx.inputs)) {
      throw new RuleError("mempool-conflict", `tx conflicts with other tx: ${formatId(tx.id)}`, { txId: tx.id });
    }
    this.#bytesLeft -= tx.size;
    this.#txs.set(tx.id, tx);
    this.#claims.add(tx);
    this.#dropped.delete(tx.id);
  }

  has(txId: Id): boolean {
    return this.#txs.has(txId);
  }

  get(txId: Id): T | undefined {
    return this.#txs.get(txId);
  }

  /** Oldest first. Transactions may be removed during the iteration. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#txs.values();
  }

  /** Removes a transaction if it is here, otherwise those that conflict with it. Returns the removed ones. */
  remove(tx: MempoolTx): T[] {
    const own = this.#txs.get(tx.id);
    const removed = own === undefined ? this.#claims.of(tx.inputs) : [own];
    for (const one of removed) {
      this.#txs.delete(one.id);
      this.#claims.delete(one);
      this.#bytesLeft += one.size;
    }
    return removed;
  }

  /** Remembers why a transaction was refused or removed, unless the mempool was full. */
  markDropped(txId: Id, reason: Error): void {
    const isFull = isMadeOf(reason, MempoolFullError);
    if (!isFull && !this.#txs.has(txId)) this.#dropped.set(txId, reason);
  }

  dropReason(txId: Id): Error | undefined {
    return this.#dropped.get(txId);
  }

  clear(): void {
    this.#txs.clear();
    this.#claims.clear();
    this.#dropped.clear();
    this.#bytesLeft = MAX_MEMPOOL_BYTES;
  }

  #checkSize({ id, size }: T): void {
    const facts = { txId: id, size };
    if (this.#txs.has(id)) throw new RuleError("duplicate-tx", `duplicate tx: ${formatId(id)}`, facts);
    if (size > MAX_TX_BYTES) {
      throw new RuleError("tx-too-large", `tx too large: ${formatId(id)} size (${size}) > max size (${MAX_TX_BYTES})`, facts);
    }
    if (size > this.#bytesLeft) {
      throw new MempoolFullError(id, size, this.#bytesLeft);
    }
  }
}
