import { base58 } from "@scure/base";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decodeBase58,
  decodeCb58,
  encodeBase58,
  encodeCb58,
  formatId,
  formatNodeId,
  nodeIdOfCertificate,
  parseFixed,
  parseId,
  parseNodeId,
} from "../../../src/base/bytes/cb58.ts";
import { EMPTY_ID, EMPTY_SHORT_ID, nameId } from "../../../src/base/bytes/id.ts";
import { utxoId } from "../../../src/base/bytes/utxo-id.ts";
import { messageOf } from "../codec/error-text.ts";

const anyBytes = fc.uint8Array({ maxLength: 80 });

describe("base58", () => {
  test("agrees with an independent implementation, leading zeros included", () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(4), (bytes, zeros) => {
        const input = Uint8Array.of(...new Uint8Array(zeros), ...bytes);
        const text = encodeBase58(input);
        expect(text).toBe(base58.encode(input));
        if (text !== "") expect(new Uint8Array(decodeBase58(text))).toEqual(input);
      }),
    );
  });

  test("a long hostile text is refused without the quadratic cost of limbs, which the suite would not wait for", () => {
    expect(messageOf(() => decodeCb58("z".repeat(4_000_000)))).toBe("invalid input checksum");
  });
});

describe("cb58", () => {
  test("what was encoded decodes to itself", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(new Uint8Array(decodeCb58(encodeCb58(bytes)))).toEqual(bytes);
      }),
    );
  });

  test.each([
    ["", "45PJLL"],
    [EMPTY_ID, "11111111111111111111111111111111LpoYY"],
    [EMPTY_SHORT_ID, "111111111111111111116DBWJs"],
    [nameId("platformvm"), "rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT"],
    [nameId("avm"), "jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq"],
    [nameId("secp256k1fx"), "spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ"],
    ["21e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff", "FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z"],
    ["0102030405060708090a0b0c0d0e0f1011121314", "6L5yRNPTuciSgXGHqYwn9N6NeoKMvqvy"],
  ])("%s is %s", (hex, text) => {
    expect(formatId(hex)).toBe(text);
    expect(formatId(hex)).toBe(text); // remembered
    expect(parseFixed(text, hex.length / 2)).toBe(hex);
  });

  test.each([
    ["", "base58 decoding error: zero length string"],
    ["1110", "base58 decoding error: Invalid base58 digit ('0')"],
    ["11'", "base58 decoding error: Invalid base58 digit ('\\'')"],
    ["1\n", "base58 decoding error: Invalid base58 digit ('\\n')"],
    ["1é0", "base58 decoding error: High-bit set on invalid digit"],
    ["112", "input string is smaller than the checksum size"],
    ["11111111111111111111111111111111LpoYZ", "invalid input checksum"],
    ["6L5yRNPTuciSgXGHqYwn9N6NeoKMvqvy", "invalid hash length: expected 32 bytes but got 20"],
  ])("as an ID %j is refused: %s", (text, message) => {
    expect(messageOf(() => parseId(text))).toBe(message);
  });
});

describe("identifiers", () => {
  test("a node ID is NodeID- and 20 bytes", () => {
    expect(formatNodeId("1122334455667788112233445566778811223344")).toBe("NodeID-2ZbTY9GatRTrfinAoYiYLcf6CvrPAUYgo");
    expect(parseNodeId("NodeID-2ZbTY9GatRTrfinAoYiYLcf6CvrPAUYgo")).toBe("1122334455667788112233445566778811223344");
    expect(messageOf(() => parseNodeId("nodeid-x"))).toBe("ID: nodeid-x is missing the prefix: NodeID-");
  });

  test("the node ID of a certificate is the hash of its DER bytes", () => {
    const certificate =
      "308201103081b7a003020102020100300a06082a8648ce3d04030230003020170d3939313233313030303030305a180f32313236313132313038313930375a3000" +
      "3059301306072a8648ce3d020106082a8648ce3d03010703420004ce3555ca69734bb0443bbcdd64212ce2347249d35541c47787e5effe6cdfe8d2899a962a6ab5f" +
      "09c0c35d5ebf79dff37058c031cd76cbc2be07d5b5ef1f1ccb5a320301e300e0603551d0f0101ff040403020780300c0603551d130101ff04023000300a06082a86" +
      "48ce3d040302034800304502200e52d4732ac8d28ae8e12838c30e67c60139b9aee8bde7cd66ad27dcb413bcee022100bcb28b8cc1cce8554ec4f8ee7eec26add95" +
      "1e023f2cf7883a9538a60bf78ddc6";
    expect(formatNodeId(nodeIdOfCertificate(Buffer.from(certificate, "hex")))).toBe("NodeID-4q5EW3nrJxZfykJPm5erFHgcLg6gwdQkg");
  });

  test("a UTXO's ID hashes the widened index before the transaction", () => {
    const txId = parseId("2VqSFA5hxukiv1FSAB8ShjwHwmPev9ZS8VD9aUTCDRoff7T5Bi");
    expect(utxoId(txId, 1)).toBe("fd9e10917c4a2dab395683cfb766cdc584eba118bc22d3d0fc356fb79345cf64");
    expect(formatId(utxoId(EMPTY_ID, 2))).toBe("2mcwQKiD8VEspmMJpL1dc7okQQ5dDVAWeCBZ7FWBFAbxpv3t7w");
  });
});
