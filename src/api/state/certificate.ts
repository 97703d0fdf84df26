/**
 * Makes a self-signed staking certificate like the node's: P-256, serial 0, no names, valid for 100 years, for signatures only. The node ID
 * is the hash of its DER bytes, so it is made once and kept.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

interface KeyAndCertificate {
  readonly keyPem: string;
  readonly certificatePem: string;
}

export function makeStakingCertificate(now: Date): KeyAndCertificate {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const der = selfSign(privateKey, now);
  const body = der.toString("base64").replace(/(.{64})(?=.)/g, "$1\n");
  return {
    keyPem: createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" })).export({ type: "pkcs8", format: "pem" }) as string,
    certificatePem: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  };
}

const VALID_YEARS = 100;
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const KEY_USAGE = [0x55, 0x1d, 0x0f];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

function selfSign(key: KeyObject, now: Date): Buffer {
  const algorithm = element(SEQUENCE, element(OBJECT_ID, ECDSA_WITH_SHA256));
  const name = element(SEQUENCE);
  const until = new Date(now);
  until.setUTCFullYear(now.getUTCFullYear() + VALID_YEARS);
  const certificate = element(
    SEQUENCE,
    element(VERSION, element(INTEGER, [2])),
    element(INTEGER, [0]),
    algorithm,
    name,
    element(SEQUENCE, element(UTC_TIME, Buffer.from("991231000000Z")), element(GENERALIZED_TIME, Buffer.from(compactTime(until)))),
    name,
    createPublicKey(key).export({ type: "spki", format: "der" }),
    element(
      EXTENSIONS,
      element(
        SEQUENCE,
        // digitalSignature is the first of eight bits
        criticalExtension(KEY_USAGE, element(BIT_STRING, [7, 0x80])),
        criticalExtension(BASIC_CONSTRAINTS, element(SEQUENCE)),
      ),
    ),
  );
  return element(SEQUENCE, certificate, algorithm, element(BIT_STRING, [0], sign("sha256", certificate, { key, dsaEncoding: "der" })));
}

function criticalExtension(objectId: number[], value: Buffer): Buffer {
  return element(SEQUENCE, element(OBJECT_ID, objectId), element(BOOLEAN, [0xff]), element(OCTET_STRING, value));
}

/** 2126-01-31T10:20:30.000Z → 21260131102030Z */
function compactTime(time: Date): string {
  return `${time.toISOString().replace(/\D/g, "").slice(0, 14)}Z`;
}

/** Encodes one DER element: tag, length, content. */
function element(tag: number, ...contents: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(contents.map((part) => Uint8Array.from(part)));
  return Buffer.concat([Uint8Array.from([tag, ...lengthBytes(content.length)]), content]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
