/** The validators that a devnet makes for an L1. They follow from the subnet, so nothing about them is stored. */

import { sha256Hex } from "../../base/bytes/hash.ts";
import type { BlsPublicKey, Id, NodeId } from "../../base/bytes/id.ts";
import { publicKeyOfSecret } from "../../base/signatures/bls.ts";
import { provePossession } from "../../base/signatures/possession.ts";
import { validatorKey } from "../validator-keys.ts";

export interface L1Validator {
  readonly nodeId: NodeId;
  readonly weight: bigint;
  readonly publicKey: BlsPublicKey;
  readonly proofOfPossession: Uint8Array;
}

const WEIGHT = 100n;
const NODE_ID_DIGITS = 40;
const PUBLIC_KEY_DIGITS = 96;
const PROOF_BYTES = 96;

/** In the order in which a conversion names them. */
export function l1Validators(subnetId: Id, count: number): L1Validator[] {
  const validators = Array.from({ length: count }, (_, index) => {
    const nodeId = sha256Hex(Buffer.from(`firn devnet L1 validator ${subnetId} ${index}`, "ascii")).slice(0, NODE_ID_DIGITS);
    const secretKey = validatorKey(nodeId);
    return { nodeId, weight: WEIGHT, publicKey: publicKeyOfSecret(secretKey), proofOfPossession: provePossession(secretKey) };
  });
  return validators.sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
}

/** As many as to know what a conversion costs: a proof takes a while. */
export function sampleValidators(count: number): L1Validator[] {
  const [nodeId, publicKey] = ["0".repeat(NODE_ID_DIGITS), "0".repeat(PUBLIC_KEY_DIGITS)];
  return new Array(count).fill({ nodeId, weight: WEIGHT, publicKey, proofOfPossession: new Uint8Array(PROOF_BYTES) });
}
