/**
 * Why transactions were refused or left the mempool: the last 64, as the reference node remembers them. A client that asks gets the text
 * again without another verification.
 */
import { FirnError } from "../primitives/errors.ts";
import type { Id } from "../primitives/id.ts";

const REMEMBERED = 64;

/** Codes of refusals that pass with time. */
const FOR_NOW: ReadonlySet<string> = new Set(["time-locked", "gas-capacity", "too-early"]);

/** Whether the same transaction may be valid later. The node repeats even such a refusal for a while, but its clock cannot be moved. */
export function isForNow(reason: Error): boolean {
  return reason instanceof FirnError && FOR_NOW.has(reason.code);
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
