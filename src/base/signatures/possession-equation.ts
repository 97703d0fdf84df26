/** The equation of proofs of possession: e(key, H(key)) = e(generator, proof), with H under the tag of proofs. */
import type { BlsPublicKey } from "../bytes/id.ts";

export interface Possession {
  readonly publicKey: BlsPublicKey;
  readonly proof: Uint8Array;
}

export const TAG = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

/**
 * Whether all of them hold. Each of several is raised to a random power of 8 bytes and their product is tested, so an invalid one passes with a
 * probability of 2⁻⁶⁴; that leaves one hash and one Miller loop per proof. Keys and proofs must have been checked to be points of their groups
 * other than infinity.
 */
export type Equation = (possessions: readonly Possession[]) => boolean;
