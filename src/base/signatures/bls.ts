/**
 * BLS12-381 as validators use it: aggregate signatures over one message, and proofs of possession, which hash with a tag of their own
 * (chain-formats 2.6).
 */

import { randomBytes } from "node:crypto";
import { aggregateSerializedSignatures, fastAggregateVerify, SecretKey } from "@chainsafe/blst";
import type { BlsPublicKey } from "../bytes/id.ts";
import { Recent } from "../collections/bounded-cache.ts";
import { BlsError, parsePublicKey, parseSignature } from "./bls-values.ts";
import { holds } from "./possession.ts";
import type { Possession } from "./possession-equation.ts";

const INVALID_PROOF = "invalid proof of possession";
/** in the first byte of a compressed point */
const INFINITY_BIT = 0x40;

/** Valid proofs, so that one verified in advance costs nothing when its transaction is executed. */
const verified = new Recent<string, true>(20_000);

export function isValidPublicKey(publicKey: BlsPublicKey): boolean {
  try {
    parsePublicKey(publicKey);
    return true;
  } catch {
    return false;
  }
}

/** Validator sets at several heights have nearly the same keys. */
const uncompressed = new Recent<BlsPublicKey, string>(20_000);

/** The 96-byte form, by which warp orders validators. */
export function uncompress(publicKey: BlsPublicKey): string {
  let long = uncompressed.get(publicKey);
  if (long === undefined) {
    long = Buffer.from(parsePublicKey(publicKey).toBytes(false)).toString("hex");
    uncompressed.set(publicKey, long);
  }
  return long;
}

/** Whether all these keys together signed the message. */
export function verifyAggregate(message: Uint8Array, publicKeys: readonly BlsPublicKey[], signature: Uint8Array): boolean {
  if (publicKeys.length === 0) return false;
  return fastAggregateVerify(message, publicKeys.map(parsePublicKey), parseSignature(signature));
}

/** Makes a secret key of 32 bytes. */
export function generateSecretKey(): Buffer {
  return Buffer.from(SecretKey.fromKeygen(randomBytes(32)).toBytes());
}

/** The same 32 bytes or more always give the same secret key. */
export function secretKeyFrom(seed: Uint8Array): Buffer {
  return Buffer.from(SecretKey.fromKeygen(seed).toBytes());
}

export function publicKeyOfSecret(secretKey: Uint8Array): BlsPublicKey {
  return Buffer.from(SecretKey.fromBytes(secretKey).toPublicKey().toBytes()).toString("hex");
}

export function sign(secretKey: Uint8Array, message: Uint8Array): Buffer {
  return Buffer.from(SecretKey.fromBytes(secretKey).sign(message).toBytes());
}

/** One signature that stands for several of the same message. */
export function aggregate(signatures: readonly Uint8Array[]): Buffer {
  return Buffer.from(aggregateSerializedSignatures([...signatures]).toBytes());
}

/** What is wrong with a proof of possession, in the node's words; undefined if it is valid. */
export function proofOfPossessionProblem(publicKey: BlsPublicKey, proof: Uint8Array): string | undefined {
  const possession = { publicKey, proof };
  if (isVerified(possession)) return undefined;
  const problem = pointsProblem(possession);
  if (problem !== undefined) return problem;
  if (!holds(possession)) return INVALID_PROOF;
  rememberVerified(possession);
  return undefined;
}

export function verifyProofOfPossession(publicKey: BlsPublicKey, proof: Uint8Array): boolean {
  return proofOfPossessionProblem(publicKey, proof) === undefined;
}

/** What is wrong with the points alone; the equation is not checked. */
export function pointsProblem({ publicKey, proof }: Possession): string | undefined {
  try {
    parsePublicKey(publicKey);
    parseSignature(proof);
  } catch (error) {
    if (error instanceof BlsError) return error.message;
    throw error;
  }
  return proof[0]! & INFINITY_BIT ? INVALID_PROOF : undefined;
}

export function isVerified(possession: Possession): boolean {
  return verified.get(nameOfPossession(possession)) === true;
}

/** Records a proof that was verified elsewhere. */
export function rememberVerified(possession: Possession): void {
  verified.set(nameOfPossession(possession), true);
}

export function nameOfPossession({ publicKey, proof }: Possession): string {
  return publicKey + Buffer.from(proof.buffer, proof.byteOffset, proof.byteLength).toString("latin1");
}
