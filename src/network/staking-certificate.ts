/**
 * The key of a staking certificate, by which a node signs blocks and its address (reference node: staking/parse.go, staking/verify.go).
 * Signatures are verified on the runtime's thread pool.
 */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { BoundedCache, CacheSpace } from "../base/collections/bounded-cache.ts";
import { DER_FIRST_OPTIONAL, DER_INTEGER, DER_SEQUENCE, derElement } from "./der.ts";

const RSA_BITS = new Set([2048, 4096]);
const RSA_EXPONENT = 65_537n;

/** Certificates of hostile containers are bounded like all others: some 4,000 are kept. */
const KEYS_BYTES = 8 * 2 ** 20;
const KEY_BYTES = 1024;
const keys = new BoundedCache<KeyObject | string>(new CacheSpace(KEYS_BYTES), () => KEY_BYTES);

/** Resolves to whether the signature (over SHA-256) is that of the key. Never rejects. */
export function isSignedBy(message: Uint8Array, key: KeyObject, signature: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => verify("sha256", message, key, signature, (error, isValid) => resolve(error === null && isValid)));
}

/** The key of a certificate, or what is wrong with it. */
export function stakingKeyOf(certificate: Uint8Array): KeyObject | string {
  const name = Buffer.from(certificate).toString("latin1");
  let key = keys.get(name);
  if (key === undefined) {
    key = readKey(Buffer.from(certificate));
    keys.set(name, key);
  }
  return key;
}

function readKey(certificate: Buffer): KeyObject | string {
  const info = publicKeyInfo(certificate);
  if (info === undefined) return "is malformed";
  try {
    const key = createPublicKey({ key: info, format: "der", type: "spki" });
    return isAllowed(key) ? key : "has a key that nodes do not accept (RSA of 2048 or 4096 bits, ECDSA P-256)";
  } catch {
    return "has no valid key";
  }
}

function isAllowed({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === "ec") return details?.namedCurve === "prime256v1";
  return type === "rsa" && RSA_BITS.has(details?.modulusLength ?? 0) && details?.publicExponent === RSA_EXPONENT;
}

/** The subject's public key, DER. Nothing else in a certificate is looked at, as nodes do: neither validity nor its own signature. */
function publicKeyInfo(certificate: Buffer): Buffer | undefined {
  const outer = derElement(certificate, 0, DER_SEQUENCE);
  const signed = outer && derElement(certificate, outer.start, DER_SEQUENCE);
  if (signed === undefined) return undefined;
  let at = derElement(certificate, signed.start, DER_FIRST_OPTIONAL)?.end ?? signed.start;
  // serial number, signature algorithm, issuer, validity, subject
  for (const tag of [DER_INTEGER, DER_SEQUENCE, DER_SEQUENCE, DER_SEQUENCE, DER_SEQUENCE]) {
    const skipped = derElement(certificate, at, tag);
    if (skipped === undefined) return undefined;
    at = skipped.end;
  }
  const info = derElement(certificate, at, DER_SEQUENCE);
  return info && certificate.subarray(at, info.end);
}
