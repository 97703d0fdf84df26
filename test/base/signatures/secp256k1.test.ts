import { secp256k1 } from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCb58 } from "../../../src/base/bytes/cb58.ts";
import { ripemd160Sha256Hex, sha256 } from "../../../src/base/bytes/hash.ts";
import {
  addressOf,
  evmAddressOf,
  loadCompiledCurve,
  publicKeyOf,
  recoverAddress,
  recoverPublicKey,
  scriptCurve,
  signDigest,
} from "../../../src/base/signatures/secp256k1.ts";
import { messageOf } from "../codec/error-text.ts";

const KEY = decodeCb58("ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN");
const DIGEST = sha256(Buffer.from("digest"));
const SIGNATURE = signDigest(DIGEST, KEY);
const ORDER = secp256k1.Point.Fn.ORDER;

const anyKey = fc.bigInt({ min: 1n, max: ORDER - 1n }).map((key) => Buffer.from(key.toString(16).padStart(64, "0"), "hex"));
const anyDigest = fc.uint8Array({ minLength: 32, maxLength: 32 });

function changed(change: (signature: Buffer) => void): Buffer {
  const signature = Buffer.from(SIGNATURE);
  change(signature);
  return signature;
}

function scalar(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex");
}

describe("secp256k1", () => {
  test("the public test key has its known addresses", () => {
    expect(addressOf(KEY)).toBe("3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c");
    expect(evmAddressOf(KEY)).toBe("8db97c7cece249c2b98bdc0226cc4c2a57bf52fc");
  });

  test("recovers the signer of any digest, as an independent implementation does", () => {
    fc.assert(
      fc.property(anyKey, anyDigest, (key, digest) => {
        const signature = signDigest(digest, key);
        expect(recoverAddress(digest, signature)).toBe(addressOf(key));
        expect(recoverAddress(digest, signature)).toBe(ripemd160Sha256Hex(secp256k1.getPublicKey(key)));
      }),
      { numRuns: 30 },
    );
  });

  test("the compiled curve and the one in JavaScript make and recover the same", () => {
    const compiled = loadCompiledCurve();
    expect(compiled).toBeDefined();
    fc.assert(
      fc.property(anyKey, anyDigest, (key, digest) => {
        const signature = signDigest(digest, key, compiled);
        expect(signDigest(digest, key, scriptCurve)).toEqual(signature);
        expect(recoverPublicKey(digest, signature, scriptCurve)).toEqual(recoverPublicKey(digest, signature, compiled));
        expect(Buffer.from(recoverPublicKey(digest, signature, compiled))).toEqual(Buffer.from(publicKeyOf(key)));
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    ["too short", SIGNATURE.subarray(1), "invalid signature length"],
    [
      "with its high s",
      changed((s) => s.set(scalar(ORDER - BigInt(`0x${s.toString("hex", 32, 64)}`)), 32)),
      "signature was mutated from its original format",
    ],
    ["with r of 0", changed((s) => s.fill(0, 0, 32)), "invalid signature"],
    ["with r at the order", changed((s) => s.set(scalar(ORDER), 0)), "invalid signature"],
    ["with s of 0", changed((s) => s.fill(0, 32, 64)), "invalid signature"],
    ["with s at the order", changed((s) => s.set(scalar(ORDER), 32)), "invalid signature"],
    ["with r of no point", changed((s) => s.set(scalar(5n), 0)), "invalid signature"],
    [
      "with an overflow that cannot be",
      changed((s) => {
        s[64] = 2;
      }),
      "invalid signature",
    ],
    [
      "with a code for a compressed key",
      changed((s) => {
        s[64] = (s[64] ?? 0) + 4;
      }),
      "wasn't expecting a compressed key",
    ],
    [
      "with an Ethereum code",
      changed((s) => {
        s[64] = 27;
      }),
      "invalid signature",
    ],
  ])("a signature %s is refused", (_, signature, message) => {
    expect(messageOf(() => recoverAddress(DIGEST, signature))).toBe(message);
  });

  test("another digest is another signer", () => {
    const other = sha256(Buffer.from("another"));
    expect(recoverAddress(other, SIGNATURE)).not.toBe(recoverAddress(DIGEST, SIGNATURE));
  });
});
