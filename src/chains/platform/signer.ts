/** A validator's BLS key with its proof of possession, or no key (chain-formats 6.5). */

import type { BlsPublicKey } from "../../base/bytes/id.ts";
import { struct, union, type Value, variant } from "../../base/codec/codec.ts";
import { proofOfPossessionProblem } from "../../base/signatures/bls.ts";
import type { Possession } from "../../base/signatures/possession-equation.ts";
import { RuleError } from "../../network/execution.ts";
import { blsPublicKey, blsSignature } from "./output.ts";
import { txTypeIds } from "./type-ids.ts";

const proofFields = { publicKey: blsPublicKey, proofOfPossession: blsSignature };

/** The body, without type ID. */
export const proofOfPossession = struct(proofFields);
export type ProofOfPossession = Value<typeof proofOfPossession>;

export const signer = union({ 27: variant("Empty", {}), 28: variant("ProofOfPossession", proofFields) }, txTypeIds);
export type Signer = Value<typeof signer>;

/** The key and the proof that must be verified. */
export function proofOf({ publicKey, proofOfPossession }: Omit<ProofOfPossession, "kind">): Possession {
  return { publicKey, proof: proofOfPossession };
}

export function signerProofs(signer: Signer): Possession[] {
  return signer.kind === "ProofOfPossession" ? [proofOf(signer)] : [];
}

export function publicKeyOf(signer: Signer): BlsPublicKey | undefined {
  return signer.kind === "ProofOfPossession" ? signer.publicKey : undefined;
}

export function verifyProofOfPossession(proof: ProofOfPossession): void {
  const problem = proofOfPossessionProblem(proof.publicKey, proof.proofOfPossession);
  if (problem !== undefined) throw new RuleError("proof-of-possession", problem);
}
