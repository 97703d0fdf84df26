/**
 * Remembers why transactions were refused or dropped: the last 64, as on the reference node. Clients get the same text again without
 * another verification.
 */

import type { Id } from "../../base/bytes/id.ts";
import { isMadeOf } from "../../base/errors/errors.ts";
import { NotYetError } from "../../network/execution.ts";

const REMEMBERED = 64;

/** Whether the same transaction may become valid later. The node repeats such a refusal for a while, but its clock cannot be moved. */
export function isForNow(reason: Error): boolean {
  return isMadeOf(reason, NotYetError);
}

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
