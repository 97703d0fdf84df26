/**
 * BLS12-381 as validators use it: aggregate signatures under one message, and proofs of possession, which hash with a tag of their own
 * (chain-formats 2.6).
 */
import { randomBytes } from "node:crypto";
import { fastAggregateVerify, SecretKey } from "@chainsafe/blst";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { BlsError, parsePublicKey, parseSignature } from "./bls-values.ts";
import type { BlsPublicKey } from "./id.ts";
import { Recent } from "./recent.ts";

const PROOF_TAG = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
const { longSignatures, G1, G2 } = bls12_381;

const verified = new Recent<string, true>(20_000);

export function isValidPublicKey(publicKey: BlsPublicKey): boolean {
  try {
    parsePublicKey(publicKey);
    return true;
  } catch {
    return false;
  }
}

/** The 96-byte form, by which warp orders validators. */
export function uncompress(publicKey: BlsPublicKey): string {
  return Buffer.from(parsePublicKey(publicKey).toBytes(false)).toString("hex");
}

/** Whether all these keys together signed the message. */
export function verifyAggregate(message: Uint8Array, publicKeys: readonly BlsPublicKey[], signature: Uint8Array): boolean {
  if (publicKeys.length === 0) return false;
  return fastAggregateVerify(message, publicKeys.map(parsePublicKey), parseSignature(signature));
}

/** A new secret key, 32 bytes. */
export function generateSecretKey(): Buffer {
  return Buffer.from(SecretKey.fromKeygen(randomBytes(32)).toBytes());
}

export function publicKeyOfSecret(secretKey: Uint8Array): BlsPublicKey {
  return Buffer.from(SecretKey.fromBytes(secretKey).toPublicKey().toBytes()).toString("hex");
}

export function sign(secretKey: Uint8Array, message: Uint8Array): Buffer {
  return Buffer.from(SecretKey.fromBytes(secretKey).sign(message).toBytes());
}

/** What is wrong with a proof, in the node's words; undefined if nothing is. */
export function proofOfPossessionProblem(publicKey: BlsPublicKey, proof: Uint8Array): string | undefined {
  const proofHex = Buffer.from(proof.buffer, proof.byteOffset, proof.byteLength).toString("hex");
  const name = publicKey + proofHex;
  if (verified.get(name)) return undefined;
  try {
    parsePublicKey(publicKey);
    parseSignature(proof);
  } catch (error) {
    if (error instanceof BlsError) return error.message;
    throw error;
  }
  if (!holds(publicKey, proofHex)) return "invalid proof of possession";
  verified.set(name, true);
  return undefined;
}

export function verifyProofOfPossession(publicKey: BlsPublicKey, proof: Uint8Array): boolean {
  return proofOfPossessionProblem(publicKey, proof) === undefined;
}

/** The proof that the holder of this key shows. */
export function provePossession(secretKey: Uint8Array): Buffer {
  const message = G2.hashToCurve(Buffer.from(publicKeyOfSecret(secretKey), "hex"), { DST: PROOF_TAG });
  return Buffer.from(longSignatures.sign(message, secretKey).toBytes());
}

function holds(publicKey: BlsPublicKey, proof: string): boolean {
  const message = G2.hashToCurve(Buffer.from(publicKey, "hex"), { DST: PROOF_TAG });
  const signature = G2.Point.fromHex(proof);
  return !signature.is0() && longSignatures.verify(signature, message, G1.Point.fromHex(publicKey));
}
