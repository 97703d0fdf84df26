/** Made-up nodes that become validators: an ID and a BLS key for each name that a test uses. */
import { createHash } from "node:crypto";
import * as avalanchejs from "@avalabs/avalanchejs";
import type { Account, Anything } from "../wallet.ts";

const { bls, L1Validator, NodeId, PChainOwner, pvmSerial }: Anything = avalanchejs;

export interface TestNode {
  readonly nodeId: string;
  readonly secretKey: bigint;
  readonly publicKey: Uint8Array;
  readonly proofOfPossession: Uint8Array;
}

export function nodeNamed(name: string): TestNode {
  const digest = createHash("sha256").update(`test node ${name}`).digest();
  // below the order of the group, whatever the digest
  const secretKey = bls.secretKeyFromBytes(Uint8Array.of(0, ...digest.subarray(1)));
  const publicKey = publicKeyOf(secretKey);
  const proofOfPossession = bls.signProofOfPossession(publicKey, secretKey);
  return { nodeId: new NodeId(digest.subarray(0, 20)).toString(), secretKey, publicKey, proofOfPossession };
}

/** What builders for validators that anybody may add share. */
export function validatorTerms(node: TestNode, owner: Account, weight: bigint): Anything {
  return {
    nodeId: node.nodeId,
    publicKey: node.publicKey,
    signature: node.proofOfPossession,
    rewardAddresses: [owner.bytes],
    delegatorRewardsOwner: [owner.bytes],
    shares: 20_000,
    weight,
  };
}

export function l1Validator(node: TestNode, owner: Account, { weight, balance }: { weight: bigint; balance: bigint }): Anything {
  const owners = PChainOwner.fromNative([owner.bytes]);
  const signer = new pvmSerial.ProofOfPossession(node.publicKey, node.proofOfPossession);
  return L1Validator.fromNative(node.nodeId, weight, balance, signer, owners, owners);
}

/** The package signs with a key but does not tell its public part: G2 is the signatures', G1 the keys' group. */
function publicKeyOf(secretKey: bigint): Uint8Array {
  return bls.publicKeyToBytes(bls.publicKeyFromBytes(GENERATOR).multiply(secretKey));
}
const GENERATOR = "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
