/**
 * Transactions with warp messages that wait for a block. The child does not have them, because each is alone in a block: no other transaction
 * may see its messages.
 */

import type { ShortId } from "../../../base/bytes/id.ts";
import { EvmRequestError } from "../evm-error.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";
import type { SentTransaction } from "../pool/unsigned-transaction.ts";
import type { PredicatedTransaction } from "./predicated-transaction.ts";

interface Waiting extends PredicatedTransaction {
  /** hex */
  readonly raw: string;
}

export class PredicatedPool {
  /** in order of arrival, by hash */
  #waiting = new Map<string, Waiting>();
  /** those in blocks that are sealed but not committed */
  readonly #sealed = new Map<string, Waiting>();
  /** whether one of them may have become executable */
  #hasNew = false;
  /** whose block is being sealed */
  #alone: string | undefined;

  get hasNew(): boolean {
    return this.#hasNew && this.#waiting.size > 0;
  }

  get signed(): SentTransaction[] {
    return [...this.#waiting.values()].map(({ raw, nonce }) => ({ raw, nonce }));
  }

  get(hash: string): SentTransaction | undefined {
    const waiting = this.#waiting.get(hash);
    return waiting && { raw: waiting.raw };
  }

  /** Forgets a transaction; returns whether it was there. */
  drop(hash: string): boolean {
    return this.#waiting.delete(hash);
  }

  /** Forgets those of a sender, by default all. Returns their number. */
  dropOf(sender?: ShortId): number {
    const { size } = this.#waiting;
    for (const [hash, { origin }] of this.#waiting) if (sender === undefined || origin === sender) this.#waiting.delete(hash);
    return size - this.#waiting.size;
  }

  add(hash: string, raw: string, transaction: PredicatedTransaction): void {
    this.#waiting.set(hash, { ...transaction, raw });
    this.#hasNew = true;
  }

  /**
   * Gives the child one that can be executed on the last block; undefined if there is none. Those that never can be are forgotten.
   * @param clear takes everything else from the child
   */
  async takeAlone(rpc: JsonRpcClient, clear: () => Promise<void>): Promise<PredicatedTransaction | undefined> {
    this.#alone = undefined;
    if (!this.hasNew) return undefined;
    for (const [hash, transaction] of [...this.#waiting]) {
      const nonce = BigInt((await rpc.call("eth_getTransactionCount", `0x${transaction.origin}`, "latest")) as string);
      if (nonce < transaction.nonce) continue;
      if (nonce === transaction.nonce) {
        await clear();
        this.#alone = hash;
        if (await takes(rpc, transaction.raw)) return transaction;
      }
      this.#waiting.delete(hash);
    }
    this.#hasNew = false;
    return undefined;
  }

  /** A block was sealed: others may be executable now. */
  seal(hashes: readonly string[]): void {
    this.#alone = undefined;
    for (const hash of hashes) {
      const transaction = this.#waiting.get(hash);
      if (transaction !== undefined) this.#sealed.set(hash, transaction);
      this.#waiting.delete(hash);
    }
    if (hashes.length > 0) this.#hasNew = true;
  }

  committed(): void {
    this.#sealed.clear();
  }

  unseal(): void {
    this.#waiting = new Map([...this.#sealed, ...this.#waiting]);
    this.#sealed.clear();
    this.#hasNew = true;
  }

  /** The child died of a block: drops the transaction if it was alone in it. Returns its hash. */
  dropAlone(): string | undefined {
    const hash = this.#alone;
    if (hash !== undefined) this.#waiting.delete(hash);
    return hash;
  }

  clear(): void {
    this.#waiting.clear();
    this.#sealed.clear();
  }
}

async function takes(rpc: JsonRpcClient, raw: string): Promise<boolean> {
  try {
    await rpc.call("eth_sendRawTransaction", raw);
    return true;
  } catch (error) {
    if (error instanceof EvmRequestError) return false;
    throw error;
  }
}
