/** A validator's BLS key, with the proof that its owner has it, or none (chain-formats 6.5). */
import { RuleError } from "../network/execution.ts";
import { proofOfPossessionProblem } from "../primitives/bls.ts";
import type { Value } from "../primitives/codec/codec.ts";
import { struct, union, variant } from "../primitives/codec/struct.ts";
import { blsPublicKey, blsSignature } from "./fields.ts";
import { txTypeIds } from "./type-ids.ts";

const proofFields = { publicKey: blsPublicKey, proofOfPossession: blsSignature };

/** The body alone, without type ID. */
export const proofOfPossession = struct(proofFields);
export type ProofOfPossession = Value<typeof proofOfPossession>;

export const signer = union({ 27: variant("Empty", {}), 28: variant("ProofOfPossession", proofFields) }, txTypeIds);
export type Signer = Value<typeof signer>;

export function verifyProofOfPossession(proof: ProofOfPossession): void {
  const problem = proofOfPossessionProblem(proof.publicKey, proof.proofOfPossession);
  if (problem !== undefined) throw new RuleError("proof-of-possession", problem);
}
