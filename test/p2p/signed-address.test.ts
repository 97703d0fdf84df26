import { createHash, createPrivateKey, createPublicKey, sign, verify, X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeStakingCertificate } from "../../src/api/state/certificate.ts";
import { nodeIdOfCertificate } from "../../src/base/bytes/cb58.ts";
import { publicKeyOfSecret } from "../../src/base/signatures/bls.ts";
import { signAsProof } from "../../src/base/signatures/possession.ts";
import { BloomFilter } from "../../src/p2p/bloom-filter.ts";
import { addressBytes, gossipId, ipBytes, ipText, isSignedAddress, signAddress } from "../../src/p2p/signed-address.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const ADDRESS = { ip: "1.2.3.4", port: 9651 };
const AT = 1_700_000_000n;

// p2p.md 20
describe("as the reference node", () => {
  test("an address is signed as 26 bytes", () => {
    const bytes = addressBytes(ADDRESS, AT);
    expect(hex(bytes)).toBe("00000000000000000000ffff0102030425b3000000006553f100");
    expect(createHash("sha256").update(bytes).digest("hex")).toBe("dd932aeff5a686c4dc08f73c62c38d98b8340b52eb99b2bafea8334041d8f62d");
  });

  test("the BLS key signs it in the domain of proofs of possession", () => {
    const secret = Buffer.from("AvalancheLocalNetworkValidator01");
    expect(publicKeyOfSecret(secret)).toBe(
      "900c9b119b5c82d781d4b49be78c3fc7ae65f2b435b7ed9e3a8b9a03e475edff86d8a64827fec8db23a6f236afbf127d",
    );
    expect(hex(signAsProof(secret, addressBytes(ADDRESS, AT)))).toBe(
      "80bf43f6ec12119fea0ec053246e696677457060e0203a93fa2dc1f4c95adbbc85ee7246909aad3457b35bae9140d2de12dc510377c9c53ce581c279f979ee300586ee1eb47a6bfe24bfb92f349bad0c69f8ffd38937e1df69e157395740f3a1",
    );
  });

  test("a node's address has a name in filters, and the filter its bits", () => {
    const name = gossipId("479f66c8be895830547e70b4b298cafd433dba6e", AT);
    expect(hex(name)).toBe("a038e8c4e3fef8a65645eba257d53f4b9727523a9205b00262e7487ad3dbb99a");
    const filter = BloomFilter.of(
      [0x0123456789abcdefn, 0xfedcba9876543210n],
      4,
      Uint8Array.from({ length: 32 }, (_, i) => i),
    );
    expect(filter.has(name)).toBe(false);
    filter.add(name);
    expect(hex(filter.bytes)).toBe("020123456789abcdeffedcba987654321000001200");
    expect(BloomFilter.read(filter.bytes, filter.salt)!.has(name)).toBe(true);
  });
});

test("IP addresses are written as they were read", () => {
  for (const [text, bytes, again = text] of [
    ["1.2.3.4", "01020304"],
    ["::1", "00000000000000000000000000000001", "0:0:0:0:0:0:0:1"],
    ["2001:db8::5:0:7", "20010db8000000000000000500000007", "2001:db8:0:0:0:5:0:7"],
    ["::ffff:1.2.3.4", "00000000000000000000ffff01020304", "1.2.3.4"],
  ] as const) {
    expect(hex(ipBytes(text))).toBe(bytes);
    expect(ipText(ipBytes(text))).toBe(again);
  }
  expect(ipText(new Uint8Array(5))).toBeUndefined();
  expect(() => ipBytes("host.example")).toThrow(TypeError);
  fc.assert(fc.property(fc.ipV4(), (ip) => void expect(ipText(ipBytes(ip))).toBe(ip)));
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      (bytes) => void expect(hex(ipBytes(ipText(bytes)!))).toBe(hex(bytes).replace(/^0{20}f{4}/, "")),
    ),
  );
});

test("an address is its node's only with its own time, port and certificate", async () => {
  const { keyPem, certificatePem } = makeStakingCertificate(new Date(0));
  const certificate = new X509Certificate(certificatePem).raw;
  const keys = { tlsKey: createPrivateKey(keyPem), blsSecretKey: Buffer.from("AvalancheLocalNetworkValidator01") };
  const signed = signAddress(ADDRESS, AT, keys);
  expect(await isSignedAddress(certificate, signed)).toBe(true);
  expect(await isSignedAddress(certificate, { ...signed, port: 9652 })).toBe(false);
  expect(await isSignedAddress(certificate, { ...signed, ip: "1.2.3.5" })).toBe(false);
  expect(await isSignedAddress(certificate, { ...signed, signedAt: AT + 1n })).toBe(false);
  expect(await isSignedAddress(new X509Certificate(makeStakingCertificate(new Date(0)).certificatePem).raw, signed)).toBe(false);
  expect(await isSignedAddress(new Uint8Array(3), signed)).toBe(false);
  expect(nodeIdOfCertificate(certificate)).toHaveLength(40);
  expect(verify("sha256", addressBytes(ADDRESS, AT), createPublicKey(keyPem), sign("sha256", addressBytes(ADDRESS, AT), keyPem))).toBe(
    true,
  );
});

test("a filter has what was added, hardly anything else, and says when it is full", () => {
  const filter = BloomFilter.for(128);
  expect([filter.bytes.length, filter.capacity]).toEqual([1 + 10 * 8 + 230, 184]);
  const key = (n: number) => Buffer.from(`key ${n}`);
  for (let n = 0; n < 128; n++) filter.add(key(n));
  for (let n = 0; n < 128; n++) expect(filter.has(key(n))).toBe(true);
  const others = Array.from({ length: 5000 }, (_, n) => filter.has(key(1000 + n))).filter(Boolean).length;
  expect(others).toBeLessThan(50);
  for (const text of ["", "00", "11", `01${"00".repeat(8)}`])
    expect(BloomFilter.read(Buffer.from(text, "hex"), new Uint8Array())).toBeUndefined();
  expect(BloomFilter.read(Buffer.from(`01${"00".repeat(9)}`, "hex"), new Uint8Array(33))).toBeUndefined();
  expect(BloomFilter.read(Buffer.from(`01${"00".repeat(9)}`, "hex"), new Uint8Array())!.has(key(1))).toBe(false);
});
