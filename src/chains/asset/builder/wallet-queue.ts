/**
 * Transactions issued at the wallet's endpoint. They are accepted without verification and issued in order, one at a time: the next one
 * when the previous one is decided (rpc-avm-info-health 3.8).
 */

import type { Id } from "../../../base/bytes/id.ts";
import { RuleError } from "../../../network/execution.ts";
import { MAX_MEMPOOL_BYTES, MempoolFullError } from "../../mempool/mempool.ts";
import type { SignedTx } from "../tx/registry.ts";

export class WalletQueue {
  /** The first one is in the mempool. */
  readonly #txs = new Map<Id, SignedTx>();
  #bytes = 0;
  readonly #release: (tx: SignedTx) => void;

  /** @param release puts a transaction into the mempool, if it is not there yet; throws if the mempool refuses it */
  constructor(release: (tx: SignedTx) => void) {
    this.#release = release;
  }

  /** Throws if the first transaction is refused, or if the queue is full. The limit, the mempool's, is Firn's; the node has none. */
  issue(tx: SignedTx): void {
    if (this.#txs.has(tx.id)) return;
    const bytesLeft = MAX_MEMPOOL_BYTES - this.#bytes;
    if (tx.bytes.length > bytesLeft) {
      throw new MempoolFullError(tx.id, tx.bytes.length, bytesLeft);
    }
    if (this.#txs.size === 0) this.#release(tx);
    this.#txs.set(tx.id, tx);
    this.#bytes += tx.bytes.length;
  }

  /** If this queue's transaction was accepted or dropped, releases the next one. */
  decided(txId: Id): void {
    if (!this.#delete(txId)) return;
    for (const tx of this.#txs.values()) {
      try {
        this.#release(tx);
        return;
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        this.#delete(tx.id);
      }
    }
  }

  /** In order, starting with the one in the mempool. */
  *waiting(): Generator<SignedTx> {
    yield* this.#txs.values();
  }

  clear(): void {
    this.#txs.clear();
    this.#bytes = 0;
  }

  #delete(txId: Id): boolean {
    this.#bytes -= this.#txs.get(txId)?.bytes.length ?? 0;
    return this.#txs.delete(txId);
  }
}
