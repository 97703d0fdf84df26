/**
 * Transactions of accepted vertices that spend outputs of a transaction whose vertex is yet to come. The reference node executes all
 * transactions of the DAG before it accepts the first vertex, so a vertex need not come after those whose outputs its transactions spend
 * (chain-formats 5.7).
 */

import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import type { View } from "../../base/table/view.ts";
import { RuleError } from "../../network/execution.ts";
import type { AssetCodec } from "./codec.ts";
import { assetDeferredTxs } from "./tables.ts";
import type { SignedTx } from "./tx/registry.ts";
import { spentHere } from "./tx/value.ts";

export class DeferredTxs {
  readonly #view: View;
  readonly #chain: number;
  readonly #codec: AssetCodec;

  constructor(view: View, chain: number, codec: AssetCodec) {
    this.#view = view;
    this.#chain = chain;
    this.#codec = codec;
  }

  /** Executes transactions, and those that wait for them. The others are kept until what they wait for is executed. */
  execute(txs: readonly SignedTx[], hasTx: (txId: Id) => boolean, run: (tx: SignedTx) => void): void {
    for (const queue = [...txs]; queue.length > 0; ) {
      const tx = queue.shift()!;
      // it has waited, and comes once more beside what it waited for
      if (hasTx(tx.id)) continue;
      const awaited = spentHere(tx.unsigned).find(({ txId }) => !hasTx(txId));
      if (awaited !== undefined) this.#add(awaited.txId, tx);
      else {
        run(tx);
        queue.unshift(...this.#release(tx.id));
      }
    }
  }

  /** Those that may be executed with some transactions, because they wait for them or for each other. */
  releasable(txs: readonly SignedTx[]): SignedTx[] {
    const found: SignedTx[] = [];
    for (const queue = [...txs]; queue.length > 0; ) {
      const waiting = this.#awaiting(queue.pop()!.id);
      found.push(...waiting);
      queue.push(...waiting);
    }
    return found;
  }

  /** The DAG ends. */
  requireNone(): void {
    for (const { key, value } of this.#view.rows(assetDeferredTxs)) {
      if (key.chain !== this.#chain) continue;
      const what = `transaction ${formatId(this.#codec.parseTx(value.txs[0]!).id)} spends an output of ${formatId(key.awaited)}`;
      throw new RuleError("vertex-dependency", `${what}, which no vertex of the DAG contains`);
    }
  }

  /** Several vertices may contain the same transaction. */
  #add(awaited: Id, tx: SignedTx): void {
    const before = this.#awaiting(awaited);
    if (before.some(({ id }) => id === tx.id)) return;
    this.#view.put(assetDeferredTxs, { chain: this.#chain, awaited }, { txs: [...before, tx].map(({ bytes }) => bytes) });
  }

  /** Removes and returns those that wait for a transaction. */
  #release(awaited: Id): SignedTx[] {
    const txs = this.#awaiting(awaited);
    if (txs.length > 0) this.#view.delete(assetDeferredTxs, { chain: this.#chain, awaited });
    return txs;
  }

  #awaiting(awaited: Id): SignedTx[] {
    const row = this.#view.get(assetDeferredTxs, { chain: this.#chain, awaited });
    return (row?.txs ?? []).map((bytes) => this.#codec.parseTx(bytes));
  }
}
