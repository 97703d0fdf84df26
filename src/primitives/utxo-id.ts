import { sha256Hex } from "./hash.ts";
import type { Id } from "./id.ts";

const preimage = Buffer.alloc(40);

/** The index comes first and is widened to 64 bits (chain-formats 2.3). */
export function utxoId(txId: Id, outputIndex: number): Id {
  preimage.writeUInt32BE(outputIndex, 4);
  preimage.write(txId, 8, 32, "hex");
  return sha256Hex(preimage);
}
