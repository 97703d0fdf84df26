/**
 * Transactions that wait for a block, the oldest first, with the limits and texts of the reference node's generic mempool
 * (rpc-avm-info-health 3.7): 64 KiB per transaction, 64 MiB in total, and no two with a common input. It remembers why the last ones were
 * dropped. It verifies nothing and knows no chain.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { isMadeOf } from "../../base/errors/errors.ts";
import { NotYetError, RuleError } from "../../network/execution.ts";

const REMEMBERED = 64;

/** Whether the same transaction may become valid later. The node repeats such a refusal for a while, but its clock cannot be moved. */
export function isForNow(reason: Error): boolean {
  return isMadeOf(reason, NotYetError);
}

/**
 * Remembers why transactions were refused or dropped: the last 64, as on the reference node. Clients get the same text again without
 * another verification.
 */
export class DroppedTxs {
  /** Least recently used first. */
  readonly #reasons = new Map<Id, Error>();

  set(txId: Id, reason: Error): void {
    this.#reasons.delete(txId);
    this.#reasons.set(txId, reason);
    if (this.#reasons.size > REMEMBERED) this.#reasons.delete(this.#reasons.keys().next().value!);
  }

  get(txId: Id): Error | undefined {
    const reason = this.#reasons.get(txId);
    if (reason !== undefined) this.set(txId, reason);
    return reason;
  }

  delete(txId: Id): void {
    this.#reasons.delete(txId);
  }

  clear(): void {
    this.#reasons.clear();
  }
}

/** Tracks which transaction claims which input: no two transactions in a mempool claim the same one. */
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

// Finds the transactions in a mempool that a new one may build on, because it uses what they create and no block contains yet. A chain
// chooses the names of what is created and needed (IDs of transactions, subnets, validations …). A possible ancestor is enough, because
// executing one that was not needed does no harm. Ancestors are determined at admission, so no transaction can be its own ancestor.

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
