import { Recent } from "../collections/bounded-cache.ts";
import { sha256Hex } from "./hash.ts";
import type { Id } from "./id.ts";

const LAST = (1n << 64n) - 1n;

/**
 * Sort key of a UTXO in lists of addresses, which start with the newest (rpc-avm-info-health 3.6): it decreases with the order of
 * acceptance.
 * @param position increases with every block and vertex of the chain; 0 is genesis
 */
export function utxoRank(position: bigint): bigint {
  return LAST - position;
}

/** Transactions whose UTXO IDs are kept: each is asked for when rows are named, executed and indexed. */
const KEPT_TRANSACTIONS = 8192;
/** Higher indices are rare, and would make the lists sparse. */
const KEPT_OUTPUTS = 16;
const kept = new Recent<Id, Id[]>(KEPT_TRANSACTIONS);
const preimage = Buffer.alloc(40);

/** The hash input starts with the index, widened to 64 bits (chain-formats 2.3). */
export function utxoId(txId: Id, outputIndex: number): Id {
  if (outputIndex >= KEPT_OUTPUTS) return hashed(txId, outputIndex);
  let ids = kept.get(txId);
  if (ids === undefined) {
    ids = [];
    kept.set(txId, ids);
  }
  ids[outputIndex] ??= hashed(txId, outputIndex);
  return ids[outputIndex];
}

function hashed(txId: Id, outputIndex: number): Id {
  preimage.writeUInt32BE(outputIndex, 4);
  preimage.write(txId, 8, 32, "hex");
  return sha256Hex(preimage);
}

/** The UTXO that an input names. */
export function utxoIdOf({ txId, outputIndex }: { readonly txId: Id; readonly outputIndex: number }): Id {
  return utxoId(txId, outputIndex);
}
