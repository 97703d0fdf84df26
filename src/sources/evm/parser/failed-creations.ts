/**
 * Derives the addresses that failed creations by contracts would have had, which traces lack. A contract's nonce counts the creations that
 * it began, so the nonces are followed through the block. A creation counts for its creator even if it fails, unless the creator's own call
 * is reverted. A creation that the EVM did not begin (no balance, too deep) does not count. An account with a contract's code (EIP-7702)
 * can create too; its nonce also counts its transactions and its authorizations.
 */

import type { Authorization } from "./authorizations.ts";
import type { Address } from "./block.ts";
import { addressOfCreation } from "./creation-address.ts";
import { isCreation, type TraceFrame } from "./trace-block.ts";
import type { TransactionWithoutFrames } from "./transaction.ts";

export interface TracedTransaction {
  readonly transaction: TransactionWithoutFrames;
  /** the transaction's own call first */
  readonly frames: readonly TraceFrame[];
  /** EIP-7702 */
  readonly authorizations: readonly Authorization[];
}

const NOT_BEGUN = /insufficient balance|depth|toodeep|outoffunds/i;

/**
 * Most creations without a frame that are skipped in a row: some nodes omit the frame of a creation whose address is in use, though it
 * counts.
 */
const MISSED_CREATIONS = 16n;

export function lacksAddresses(transactions: readonly Pick<TracedTransaction, "frames">[]): boolean {
  return transactions.some(({ frames }) => frames.some((frame, index) => index > 0 && isCreation(frame) && frame.to === undefined));
}

/**
 * Sets the addresses that can be derived from the nonces.
 * @param before nonces of creators before the block
 * @returns creators whose nonce is missing
 */
export function addressFailedCreations(transactions: readonly TracedTransaction[], before: ReadonlyMap<Address, bigint>): Address[] {
  const nonces = new Nonces(before);
  const unknown = new Set<Address>();
  for (const { transaction, frames, authorizations } of transactions) {
    nonces.set(transaction.from, transaction.nonce + 1n);
    for (const { authority, nonce } of authorizations) if (nonces.get(authority) === nonce) nonces.set(authority, nonce + 1n);
    const start = nonces.mark();
    if (transaction.created !== undefined) nonces.set(transaction.created, 1n);
    const open: { readonly frame: TraceFrame; readonly mark: number }[] = [];
    const closeTo = (depth: number) => {
      while (open.length > 0 && open.at(-1)!.frame.depth >= depth) {
        const { frame, mark } = open.pop()!;
        if (frame.error !== undefined) nonces.undoTo(mark);
      }
    };
    for (const frame of frames.slice(1)) {
      closeTo(frame.depth);
      if (!isCreation(frame)) {
        open.push({ frame, mark: nonces.mark() });
        continue;
      }
      const isKnown = create(frame, nonces);
      if (!isKnown && frame.to === undefined && frame.type === "CREATE") unknown.add(frame.from);
      open.push({ frame, mark: nonces.mark() });
      if (frame.to !== undefined) nonces.set(frame.to, 1n);
    }
    closeTo(0);
    if (!transaction.isSuccess) nonces.undoTo(start);
  }
  return [...unknown];
}

/** Returns false if the creator's nonce is not known. */
function create(frame: TraceFrame, nonces: Nonces): boolean {
  let nonce = nonces.get(frame.from);
  if (nonce === undefined) return false;
  if (frame.type === "CREATE") {
    if (frame.to === undefined) frame.to = addressOfCreation(frame.from, nonce);
    else nonce = nonceOf(frame.from, frame.to, nonce);
  }
  if (!NOT_BEGUN.test(frame.error ?? "")) nonces.set(frame.from, nonce + 1n);
  return true;
}

/** The nonce from which the address follows, at or slightly above the expected one; otherwise the expected one. */
function nonceOf(creator: Address, created: Address, expected: bigint): bigint {
  for (let nonce = expected; nonce < expected + MISSED_CREATIONS; nonce++) if (addressOfCreation(creator, nonce) === created) return nonce;
  return expected;
}

/** Nonces with a journal, since calls can be reverted. */
class Nonces {
  readonly #nonces: Map<Address, bigint>;
  readonly #journal: { readonly address: Address; readonly before: bigint | undefined }[] = [];

  constructor(before: ReadonlyMap<Address, bigint>) {
    this.#nonces = new Map(before);
  }

  get(address: Address): bigint | undefined {
    return this.#nonces.get(address);
  }

  set(address: Address, nonce: bigint): void {
    this.#journal.push({ address, before: this.#nonces.get(address) });
    this.#nonces.set(address, nonce);
  }

  mark(): number {
    return this.#journal.length;
  }

  undoTo(mark: number): void {
    while (this.#journal.length > mark) {
      const { address, before } = this.#journal.pop()!;
      if (before === undefined) this.#nonces.delete(address);
      else this.#nonces.set(address, before);
    }
  }
}
