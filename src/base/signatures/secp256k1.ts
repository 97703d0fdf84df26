/**
 * Recoverable secp256k1 signatures: 65 bytes r, s, recovery code 0–3 (chain-formats 4). Uses the compiled library if it has a binary for
 * this machine, otherwise JavaScript, which is about thirty times slower.
 */

import { createRequire } from "node:module";
import { secp256k1 as script } from "@noble/curves/secp256k1.js";
import type * as compiledLibrary from "secp256k1";
import { keccak256, ripemd160Sha256Hex } from "../bytes/hash.ts";
import type { ShortId } from "../bytes/id.ts";
import { Recent } from "../collections/bounded-cache.ts";
import { FirnError } from "../errors/errors.ts";

/** What this file needs from an implementation. */
interface Curve {
  /** Returns the compressed public key; throws if there is none. */
  recover(digest: Uint8Array, compact: Uint8Array, recoveryCode: number): Uint8Array;
  sign(digest: Uint8Array, privateKey: Uint8Array): { compact: Uint8Array; recoveryCode: number };
  publicKey(privateKey: Uint8Array, options: { compressed: boolean }): Uint8Array;
}

/** A signature that is invalid or yields no key. Texts are the node's. */
export class SignatureError extends FirnError {}

export const SIGNATURE_BYTES = 65;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const HIGHEST_CODE = 3;
/** Codes 4–7 request a compressed key; they are refused, but only after a key was recovered. */
const HIGHEST_COMPRESSED_CODE = 7;

export const scriptCurve: Curve = {
  recover(digest, compact, recoveryCode) {
    const signature = Uint8Array.of(recoveryCode, ...compact);
    return script.recoverPublicKey(signature, digest, { prehash: false });
  },
  sign(digest, privateKey) {
    const signature = script.sign(digest, privateKey, { prehash: false, format: "recovered" });
    return { compact: signature.subarray(1), recoveryCode: signature[0]! };
  },
  publicKey: (privateKey, { compressed }) => script.getPublicKey(privateKey, compressed),
};

/** Returns undefined if the library has no binary for this machine. */
export function loadCompiledCurve(): Curve | undefined {
  let library: typeof compiledLibrary;
  try {
    library = createRequire(import.meta.url)("secp256k1/bindings.js");
  } catch {
    return undefined;
  }
  return {
    recover: (digest, compact, recoveryCode) => library.ecdsaRecover(compact, recoveryCode, digest, true),
    sign(digest, privateKey) {
      const { signature, recid } = library.ecdsaSign(digest, privateKey);
      return { compact: signature, recoveryCode: recid };
    },
    publicKey: (privateKey, { compressed }) => library.publicKeyCreate(privateKey, compressed),
  };
}

const curve = loadCompiledCurve() ?? scriptCurve;

interface Recovered {
  publicKey?: Uint8Array;
  address?: ShortId;
}

/**
 * A transaction with many inputs of one owner repeats the same signature of the same digest; an issued transaction is verified first,
 * then shown with its keys; and other threads recover the signers of a block before it is executed, of which the largest has some 8,000.
 */
const recovered = new Recent<string, Recovered>(8192);

/** The address whose key signed the digest. */
export function recoverAddress(digest: Uint8Array, signature: Uint8Array): ShortId {
  const known = recoveredOf(digest, signature);
  known.address ??= ripemd160Sha256Hex(publicKeyIn(known, digest, signature));
  return known.address;
}

/** The same without remembering it, for threads that see each signature once. */
export function recoverAddressAfresh(digest: Uint8Array, signature: Uint8Array): ShortId {
  return ripemd160Sha256Hex(recover(digest, signature, curve));
}

/** The compressed public key that signed the digest. The checks are the node's, in the node's order. */
export function recoverPublicKey(digest: Uint8Array, signature: Uint8Array, implementation: Curve = curve): Uint8Array {
  if (implementation !== curve) return recover(digest, signature, implementation);
  return publicKeyIn(recoveredOf(digest, signature), digest, signature);
}

/** Makes `recoverAddress` find an address that another thread has recovered. */
export function rememberSigner(digest: Uint8Array, signature: Uint8Array, address: ShortId): void {
  recoveredOf(digest, signature).address ??= address;
}

/** What is known so far, which may be nothing. */
function recoveredOf(digest: Uint8Array, signature: Uint8Array): Recovered {
  const name = latin1(digest) + latin1(signature);
  let known = recovered.get(name);
  if (known === undefined) {
    known = {};
    recovered.set(name, known);
  }
  return known;
}

function publicKeyIn(known: Recovered, digest: Uint8Array, signature: Uint8Array): Uint8Array {
  known.publicKey ??= recover(digest, signature, curve);
  return known.publicKey;
}

function recover(digest: Uint8Array, signature: Uint8Array, implementation: Curve): Uint8Array {
  if (signature.length !== SIGNATURE_BYTES) throw new SignatureError("signature-length", "invalid signature length");
  if (scalar(signature, 32) % ORDER > ORDER / 2n) {
    throw new SignatureError("signature-mutated", "signature was mutated from its original format");
  }
  const code = signature[64]!;
  if (code > HIGHEST_COMPRESSED_CODE) throw new SignatureError("signature-invalid", "invalid signature");
  const publicKey = recoverOrRefuse(digest, signature.subarray(0, 64), code & 3, implementation);
  if (code > HIGHEST_CODE) throw new SignatureError("signature-compressed", "wasn't expecting a compressed key");
  return publicKey;
}

/** Deterministic (RFC 6979), with a low s. */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array, implementation: Curve = curve): Buffer {
  const { compact, recoveryCode } = implementation.sign(digest, privateKey);
  return Buffer.concat([compact, Uint8Array.of(recoveryCode)]);
}

export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  return curve.publicKey(privateKey, { compressed: true });
}

export function addressOf(privateKey: Uint8Array): ShortId {
  return ripemd160Sha256Hex(publicKeyOf(privateKey));
}

/** The address of the same key on an EVM chain. */
export function evmAddressOf(privateKey: Uint8Array): ShortId {
  const point = curve.publicKey(privateKey, { compressed: false }).subarray(1);
  return keccak256(point).toString("hex", 12);
}

/** The EVM account whose key signed the digest. */
export function recoverEvmAddress(digest: Uint8Array, signature: Uint8Array): ShortId {
  return evmAddressOfKey(recoverPublicKey(digest, signature));
}

/** An account is the hash of the uncompressed key without its type byte. @param publicKey compressed */
function evmAddressOfKey(publicKey: Uint8Array): ShortId {
  return keccak256(script.Point.fromBytes(publicKey).toBytes(false).subarray(1)).toString("hex", 12);
}

function recoverOrRefuse(digest: Uint8Array, compact: Uint8Array, code: number, implementation: Curve): Uint8Array {
  try {
    return implementation.recover(digest, compact, code);
  } catch (cause) {
    throw new SignatureError("signature-invalid", "invalid signature", {}, { cause });
  }
}

function scalar(signature: Uint8Array, at: number): bigint {
  const view = new DataView(signature.buffer, signature.byteOffset + at, 32);
  let value = 0n;
  for (let i = 0; i < 32; i += 8) value = (value << 64n) | view.getBigUint64(i);
  return value;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
