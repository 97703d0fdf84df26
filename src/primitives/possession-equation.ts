/** The equation of proofs of possession: e(key, H(key)) = e(generator, proof), with H under the tag of proofs. */
import type { BlsPublicKey } from "./id.ts";

export interface Possession {
  readonly publicKey: BlsPublicKey;
  readonly proof: Uint8Array;
}

export const TAG = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

/** Bytes of the random power of an equation: an invalid batch passes with a probability of 2⁻⁶⁴. */
export const POWER_BYTES = 8;

/**
 * Whether the product of the equations holds, each raised to its power. Powers are little-endian; without them, which is for one equation,
 * they are 1. Keys and proofs must have been checked to be points of their groups other than infinity.
 */
export type Equation = (possessions: readonly Possession[], powers: Buffer | undefined) => boolean;
