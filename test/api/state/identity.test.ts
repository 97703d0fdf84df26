import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openIdentity } from "../../../src/api/state/identity.ts";
import { ripemd160Sha256Hex } from "../../../src/base/bytes/hash.ts";
import { verifyProofOfPossession } from "../../../src/base/signatures/bls.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "firn-identity-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = (name: string) => join(directory, "staking", name);

test("is made at the first start and is the same at the second", () => {
  const first = openIdentity(directory);
  const { nodeId, blsPublicKey, proofOfPossession } = openIdentity(directory);
  expect([nodeId, blsPublicKey]).toEqual([first.nodeId, first.blsPublicKey]);
  expect(proofOfPossession).toBe(first.proofOfPossession);
});

test("keeps its files from everybody else", () => {
  openIdentity(directory);
  expect(readdirSync(join(directory, "staking")).sort()).toEqual(["signer.key", "staker.crt", "staker.key"]);
  for (const name of readdirSync(join(directory, "staking"))) expect(statSync(file(name)).mode & 0o777).toBe(0o600);
});

test("proves possession of its BLS key", () => {
  const { blsPublicKey, proofOfPossession } = openIdentity(directory);
  expect(verifyProofOfPossession(blsPublicKey, Buffer.from(proofOfPossession, "hex"))).toBe(true);
});

test("has a self-signed P-256 certificate of the node's form, whose hash is the node ID", () => {
  const { nodeId } = openIdentity(directory, new Date("2026-11-21T10:20:30Z"));
  const certificate = new X509Certificate(readFileSync(file("staker.crt")));
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
  expect([certificate.serialNumber, certificate.subject ?? "", certificate.issuer ?? ""]).toEqual(["0", "", ""]);
  expect([certificate.validFrom, certificate.validTo]).toEqual(["Dec 31 00:00:00 1999 GMT", "Nov 21 10:20:30 2126 GMT"]);
  expect(nodeId).toBe(ripemd160Sha256Hex(certificate.raw));
});

test("refuses half a pair, a foreign key and a damaged signer key, and says which file it is", () => {
  openIdentity(directory);
  const key = readFileSync(file("staker.key"));
  rmSync(file("staker.key"));
  expect(() => openIdentity(directory)).toThrow(/has staker.crt but no staker.key/);
  rmSync(file("staker.crt"));
  openIdentity(directory);
  writeFileSync(file("staker.key"), key);
  expect(() => openIdentity(directory)).toThrow(/staker.key is not the key of/);
  rmSync(file("staker.key"));
  rmSync(file("staker.crt"));
  writeFileSync(file("signer.key"), "short");
  expect(() => openIdentity(directory)).toThrow(/signer.key is not a BLS secret key/);
});
