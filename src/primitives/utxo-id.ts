import { sha256Hex } from "./hash.ts";
import type { Id } from "./id.ts";

const preimage = Buffer.alloc(40);

/** The hash input starts with the index, widened to 64 bits (chain-formats 2.3). */
export function utxoId(txId: Id, outputIndex: number): Id {
  preimage.writeUInt32BE(outputIndex, 4);
  preimage.write(txId, 8, 32, "hex");
  return sha256Hex(preimage);
}

/** The UTXO that an input names. */
export function utxoIdOf({ txId, outputIndex }: { readonly txId: Id; readonly outputIndex: number }): Id {
  return utxoId(txId, outputIndex);
}
