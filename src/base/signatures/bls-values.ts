/** BLS values in wire form: 48-byte keys in G1, 96-byte signatures in G2 (chain-formats 2.6). */

import { PublicKey, Signature } from "@chainsafe/blst";
import type { BlsPublicKey } from "../bytes/id.ts";
import { Recent } from "../collections/bounded-cache.ts";
import { FirnError } from "../errors/errors.ts";

/** An invalid key or signature. Texts are the node's. */
export class BlsError extends FirnError {}

/** Keys of known validators recur, and decompressing one costs a square root. */
const keys = new Recent<BlsPublicKey, PublicKey>(10_000);

/** Parses a key, which must be in the right subgroup and not the point at infinity. */
export function parsePublicKey(publicKey: BlsPublicKey): PublicKey {
  const known = keys.get(publicKey);
  if (known !== undefined) return known;
  const parsed = attempt(() => {
    if (publicKey.length !== 96) throw new RangeError();
    return PublicKey.fromHex(publicKey);
  }, "couldn't decompress public key");
  attempt(() => parsed.keyValidate(), "invalid public key");
  keys.set(publicKey, parsed);
  return parsed;
}

/** Parses a signature, which must be in the right subgroup. Like the node, this accepts the point at infinity. */
export function parseSignature(signature: Uint8Array): Signature {
  const parsed = attempt(() => {
    if (signature.length !== 96) throw new RangeError();
    return Signature.fromBytes(signature, false);
  }, "couldn't decompress signature");
  attempt(() => parsed.sigValidate(false), "invalid signature");
  return parsed;
}

function attempt<T>(action: () => T, problem: string): T {
  try {
    return action();
  } catch (error) {
    throw new BlsError("bls", problem, {}, { cause: error });
  }
}
