/** A transaction of an asset chain as its mempool stores it: the inputs it spends, what it creates, and what it may build on. */

import type { Id } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import type { ChainedTx } from "../../mempool/ancestry.ts";
import type { MempoolTx } from "../../mempool/mempool.ts";
import type { SignedTx } from "../tx/signed-tx.ts";
import { assetsOf, consumedBy, spentHere } from "../tx/value.ts";

export interface WaitingTx extends MempoolTx, ChainedTx {
  readonly tx: SignedTx;
  /** the transaction's ID, which is also the ID of an asset that it creates */
  readonly makes: readonly [Id];
  /** false for a transaction from the wallet, which verifies nothing: it must be verified before it goes into a block */
  readonly isVerified: boolean;
}

export function waitingTx(tx: SignedTx, rest: Pick<WaitingTx, "ancestors" | "isVerified">): WaitingTx {
  const inputs = consumedBy(tx.unsigned).map(utxoIdOf);
  return { id: tx.id, size: tx.bytes.length, inputs, makes: [tx.id], tx, ...rest };
}

/** The transactions of this chain whose outputs it spends or whose assets it moves. Each of them may still be waiting. */
export function needsOf({ unsigned }: SignedTx): Set<Id> {
  return new Set([...spentHere(unsigned).map(({ txId }) => txId), ...assetsOf(unsigned)]);
}
