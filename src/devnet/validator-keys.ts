/**
 * BLS keys with which a devnet signs for its validators. Nothing is stored: those of the local network's genesis are the reference node's
 * development keys, and all others follow from the node ID. They are public, and worthless elsewhere.
 */

import type { BlsPublicKey, NodeId } from "../base/bytes/id.ts";
import { publicKeyOfSecret, secretKeyFrom } from "../base/signatures/bls.ts";

/** In `staking/local` of the reference node; texts of 32 characters. */
const GENESIS_KEYS: readonly Buffer[] = [1, 2, 3, 4, 5].map((number) => Buffer.from(`AvalancheLocalNetworkValidator0${number}`, "ascii"));
const genesisKeys = new Map<BlsPublicKey, Buffer>();

/** The key of a validator that the devnet makes, such as an L1's. */
export function validatorKey(nodeId: NodeId): Buffer {
  return secretKeyFrom(Buffer.concat([Buffer.from("firn devnet validator", "ascii"), Buffer.from(nodeId, "hex")]));
}

/** The secret of a validator's public key; undefined if the devnet does not have it, because someone else registered the key. */
export function secretOf(nodeIds: readonly NodeId[], publicKey: BlsPublicKey): Buffer | undefined {
  if (genesisKeys.size === 0) for (const key of GENESIS_KEYS) genesisKeys.set(publicKeyOfSecret(key), key);
  return genesisKeys.get(publicKey) ?? nodeIds.map(validatorKey).find((key) => publicKeyOfSecret(key) === publicKey);
}

/** The key of the node that a devnet answers as, on every chain. */
export const localNodeKey: Uint8Array = GENESIS_KEYS[0]!;
