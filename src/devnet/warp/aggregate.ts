/** Signs warp messages for a set of validators, as nodes do when someone collects their signatures. */

import { FirnError } from "../../base/errors/errors.ts";
import { aggregate, sign } from "../../base/signatures/bls.ts";
import type { CanonicalSet } from "../../chains/platform/validator-sets.ts";
import { encodeWarpMessage, parseUnsignedWarpMessage } from "../../chains/platform/warp/message.ts";
import { secretOf } from "../validator-keys.ts";

/**
 * Returns the signed message. The first validators sign, until they have the quorum; if the devnet lacks keys, fewer, as when nodes do not
 * answer.
 * @param quorum percent of the weight
 */
export function signedByValidators(unsigned: Uint8Array, { validators, totalWeight }: CanonicalSet, quorum: bigint): Buffer {
  let weight = 0n;
  let signers = 0n;
  const signatures: Buffer[] = [];
  for (const [position, validator] of validators.entries()) {
    const secret = secretOf(validator.nodeIds, validator.publicKey);
    if (secret === undefined) continue;
    signatures.push(sign(secret, unsigned));
    signers |= 1n << BigInt(position);
    weight += validator.weight;
    if (weight * 100n >= totalWeight * quorum) break;
  }
  if (signatures.length === 0) {
    throw new FirnError(
      "warp",
      "no validator signs: the devnet has only the keys of the local network's genesis and of the L1s that it made",
    );
  }
  const digits = signers.toString(16);
  const signature = {
    kind: "BitSetSignature" as const,
    signers: Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex"),
    signature: aggregate(signatures),
  };
  return encodeWarpMessage({ ...parseUnsignedWarpMessage(unsigned), signature });
}
