/** A validator's BLS key with its proof of possession, or no key (chain-formats 6.5). */
import { RuleError } from "../network/execution.ts";
import { proofOfPossessionProblem } from "../primitives/bls.ts";
import type { Value } from "../primitives/codec/codec.ts";
import { struct, union, variant } from "../primitives/codec/struct.ts";
import type { BlsPublicKey } from "../primitives/id.ts";
import type { Possession } from "../primitives/possession-equation.ts";
import { blsPublicKey, blsSignature } from "./fields.ts";
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
