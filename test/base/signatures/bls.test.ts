import { aggregateSerializedSignatures } from "@chainsafe/blst";
import { describe, expect, test } from "vitest";
import {
  generateSecretKey,
  isValidPublicKey,
  proofOfPossessionProblem,
  publicKeyOfSecret,
  sign,
  uncompress,
  verifyAggregate,
} from "../../../src/base/signatures/bls.ts";
import { provePossession } from "../../../src/base/signatures/possession.ts";
import { messageOf } from "../codec/error-text.ts";

/** A node's key, and the proof that the reference node made with it. */
const SECRET = Buffer.from("059947d5a9c1f03ed1671544c2eb3967048bf831c0444051e928f274a1b587ec", "hex");
const PUBLIC_KEY = "b4aaf1409c5277379d7de133e544c30618b9675fea48c0653e2c21b64bfa9ef37ea028c131fbb61d6ec445b34405749d";
const PROOF = Buffer.from(
  "a9c917f1f0a9baacd4143949b408f05061aae9e046a8009ec418f55b0bc9e51836077df1993862e108f4bacfa62151cf19695a48c06e8fabe5472f5c5be8c50c" +
    "c6987d9a2352cb7b587eab9a5dcb8e10a7ff64d42ae3bcf89fac0850204b8fc7",
  "hex",
);
const INFINITY_KEY = `c0${"00".repeat(47)}`;
const INFINITY_SIGNATURE = Buffer.from(`c0${"00".repeat(95)}`, "hex");
/** On the curve, but not in the group of prime order. */
const KEY_OUTSIDE = `80${"00".repeat(46)}04`;

describe("proof of possession", () => {
  test("the proof of a known key is the reference node's, and holds", () => {
    expect(publicKeyOfSecret(SECRET)).toBe(PUBLIC_KEY);
    expect(provePossession(SECRET)).toEqual(PROOF);
    expect(proofOfPossessionProblem(PUBLIC_KEY, PROOF)).toBeUndefined();
    expect(proofOfPossessionProblem(PUBLIC_KEY, PROOF)).toBeUndefined(); // remembered
  });

  test.each([
    ["of no point", "00".repeat(48), PROOF, "couldn't decompress public key"],
    ["of infinity", INFINITY_KEY, PROOF, "invalid public key"],
    ["outside the group", KEY_OUTSIDE, PROOF, "invalid public key"],
    ["with a proof of no point", PUBLIC_KEY, Buffer.alloc(96), "couldn't decompress signature"],
    ["with infinity as proof", PUBLIC_KEY, INFINITY_SIGNATURE, "invalid proof of possession"],
    ["with an ordinary signature as proof", PUBLIC_KEY, sign(SECRET, Buffer.from(PUBLIC_KEY, "hex")), "invalid proof of possession"],
    ["with another key's proof", publicKeyOfSecret(generateSecretKey()), PROOF, "invalid proof of possession"],
  ])("a key %s is refused", (_, publicKey, proof, problem) => {
    expect(proofOfPossessionProblem(publicKey, proof)).toBe(problem);
  });
});

describe("aggregate signature", () => {
  const message = Buffer.from("message");
  const secrets = [SECRET, generateSecretKey(), generateSecretKey()];
  const keys = secrets.map(publicKeyOfSecret);
  const aggregate = aggregateSerializedSignatures(secrets.map((secret) => sign(secret, message))).toBytes();

  test("holds for exactly the keys that signed, in any order", () => {
    expect(verifyAggregate(message, keys, aggregate)).toBe(true);
    expect(verifyAggregate(message, keys.toReversed(), aggregate)).toBe(true);
    expect(verifyAggregate(message, keys.slice(1), aggregate)).toBe(false);
    expect(verifyAggregate(Buffer.from("another"), keys, aggregate)).toBe(false);
    expect(verifyAggregate(message, [], aggregate)).toBe(false);
  });

  test("bytes that are no signature are refused with the node's text", () => {
    expect(messageOf(() => verifyAggregate(message, keys, aggregate.slice(1)))).toBe("couldn't decompress signature");
  });
});

describe("public key", () => {
  test("only points of the group other than infinity are keys", () => {
    expect(isValidPublicKey(PUBLIC_KEY)).toBe(true);
    for (const key of [INFINITY_KEY, KEY_OUTSIDE, "00".repeat(48), PUBLIC_KEY.slice(2)]) expect(isValidPublicKey(key)).toBe(false);
  });

  test("uncompressed it is 96 bytes that begin with the same coordinate", () => {
    const uncompressed = uncompress(PUBLIC_KEY);
    expect(uncompressed).toHaveLength(192);
    expect(uncompressed.slice(1, 96)).toBe(`4${PUBLIC_KEY.slice(2)}`);
  });
});
