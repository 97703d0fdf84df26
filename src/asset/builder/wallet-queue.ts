/**
 * What was issued at the wallet's endpoint: taken unverified, in the order of issue, one at a time – the next one once the one before it
 * was decided (rpc-avm-info-health 3.8).
 */
import { MAX_MEMPOOL_BYTES } from "../../mempool/mempool.ts";
import { RuleError } from "../../network/execution.ts";
import { formatId } from "../../primitives/cb58.ts";
import type { Id } from "../../primitives/id.ts";
import type { SignedTx } from "../tx/signed-tx.ts";

export class WalletQueue {
  /** The first one is in the mempool. */
  readonly #txs = new Map<Id, SignedTx>();
  #bytes = 0;
  readonly #release: (tx: SignedTx) => void;

  /** @param release puts a transaction into the mempool, where it may be already; throws if that refuses it */
  constructor(release: (tx: SignedTx) => void) {
    this.#release = release;
  }

  /** Only the first one can be refused; unlike the node's, the queue has a limit, the mempool's. */
  issue(tx: SignedTx): void {
    if (this.#txs.has(tx.id)) return;
    const bytesLeft = MAX_MEMPOOL_BYTES - this.#bytes;
    if (tx.bytes.length > bytesLeft) {
      throw new RuleError("mempool-full", `mempool is full: ${formatId(tx.id)} size (${tx.bytes.length}) > available space (${bytesLeft})`);
    }
    if (this.#txs.size === 0) this.#release(tx);
    this.#txs.set(tx.id, tx);
    this.#bytes += tx.bytes.length;
  }

  /** Releases the next one if it was this queue's transaction that was accepted or dropped. */
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

  /** In order, the one in the mempool first. */
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
