/**
 * Finds refused transactions that can never be accepted, because an accepted transaction spent one of their inputs. Its memory is bounded
 * to the last 1,024 refused transactions and the most recently spent inputs.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { Recent } from "../../../base/collections/recent.ts";
import type { MempoolTx } from "../../mempool/mempool.ts";

const REFUSED = 1024;
const SPENT = 16 * 1024;

export class DoubleSpends {
  /** inputs of refused transactions, the oldest first */
  readonly #refused = new Map<Id, readonly Id[]>();
  /** input → transaction that spent it */
  #spent = new Recent<Id, Id>(SPENT);

  refused({ id, inputs }: MempoolTx): void {
    this.#refused.delete(id);
    this.#refused.set(id, inputs);
    if (this.#refused.size > REFUSED) this.#refused.delete(this.#refused.keys().next().value!);
  }

  accepted({ id, inputs }: MempoolTx): void {
    for (const input of inputs) this.#spent.set(input, id);
  }

  isRejected(txId: Id): boolean {
    const inputs = this.#refused.get(txId) ?? [];
    return inputs.some((input) => (this.#spent.get(input) ?? txId) !== txId);
  }

  clear(): void {
    this.#refused.clear();
    this.#spent = new Recent(SPENT);
  }
}
