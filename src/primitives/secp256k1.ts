/**
 * Recoverable secp256k1 signatures: 65 bytes r, s, recovery code 0–3 (chain-formats 4).
 * The compiled library is used where its binary fits the machine; otherwise the same in JavaScript, some thirty times slower.
 */
import { createRequire } from "node:module";
import { secp256k1 as script } from "@noble/curves/secp256k1.js";
import type * as compiledLibrary from "secp256k1";
import { FirnError } from "./errors.ts";
import { keccak256, ripemd160Sha256Hex } from "./hash.ts";
import type { ShortId } from "./id.ts";
import { Recent } from "./recent.ts";

/** What the rest of this file needs of an implementation. */
export interface Curve {
  /** The compressed public key; throws if there is none. */
  recover(digest: Uint8Array, compact: Uint8Array, recoveryCode: number): Uint8Array;
  sign(digest: Uint8Array, privateKey: Uint8Array): { compact: Uint8Array; recoveryCode: number };
  publicKey(privateKey: Uint8Array, options: { compressed: boolean }): Uint8Array;
}

/** A signature that cannot be one, or that yields no key. Messages are the node's. */
export class SignatureError extends FirnError {}

export const SIGNATURE_BYTES = 65;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const FIELD = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn;
/** The node's library adds these to the code and reports the sum. */
const CODE_OFFSET = 27;
const HIGHEST_CODE = CODE_OFFSET + 7;

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

/** undefined where the library brings no binary for this machine. */
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

/** A transaction with many inputs of one owner carries the same signature of the same digest many times. */
const recovered = new Recent<string, ShortId>(4096);

/** The address whose key signed the digest. */
export function recoverAddress(digest: Uint8Array, signature: Uint8Array): ShortId {
  const name = latin1(digest) + latin1(signature);
  let address = recovered.get(name);
  if (address === undefined) {
    address = ripemd160Sha256Hex(recoverPublicKey(digest, signature));
    recovered.set(name, address);
  }
  return address;
}

/** The compressed public key that signed the digest, with the node's checks in the node's order. */
export function recoverPublicKey(digest: Uint8Array, signature: Uint8Array, implementation: Curve = curve): Uint8Array {
  if (signature.length !== SIGNATURE_BYTES) throw new SignatureError("signature-length", "invalid signature length");
  const s = scalar(signature, 32);
  if (s % ORDER > ORDER / 2n) throw new SignatureError("signature-mutated", "signature was mutated from its original format");
  const recoveryCode = checkedRecoveryCode(signature[64]!);
  const r = scalar(signature, 0);
  if (r >= ORDER) throw invalid("signature R is >= curve order");
  if (r === 0n) throw invalid("signature R is 0");
  if (s >= ORDER) throw invalid("signature S is >= curve order");
  if (s === 0n) throw invalid("signature S is 0");
  if (recoveryCode & 2 && r + ORDER >= FIELD) throw invalid("signature R + N >= P");
  try {
    const publicKey = implementation.recover(digest, signature.subarray(0, 64), recoveryCode & 3);
    if (recoveryCode <= 3) return publicKey;
  } catch {
    throw invalid("not for a valid curve point");
  }
  throw new SignatureError("signature-compressed", "wasn't expecting a compressed key");
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

/** Codes 4–7 ask for a compressed key: they are refused, but only after everything else has been looked at. */
function checkedRecoveryCode(code: number): number {
  const shown = (code + CODE_OFFSET) & 0xff;
  if (shown >= CODE_OFFSET && shown <= HIGHEST_CODE) return code;
  throw invalid(`public key recovery code ${shown} is not in the valid range [${CODE_OFFSET}, ${HIGHEST_CODE}]`);
}

function invalid(reason: string): SignatureError {
  return new SignatureError("signature-invalid", "invalid signature", { reason });
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
