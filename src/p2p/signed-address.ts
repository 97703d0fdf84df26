/**
 * Addresses of peers, and the signatures by which a node claims its own (p2p.md 5.4; reference node: network/peer/ip.go). An address is
 * signed with the key of the staking certificate, and once more with the BLS key.
 */
import { createHash, type KeyObject, sign } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import type { NodeId } from "../base/bytes/id.ts";
import { signAsProof } from "../base/signatures/possession.ts";
import { isSignedBy, stakingKeyOf } from "../network/staking-certificate.ts";

/** An IP address, IPv4 or IPv6 in text, and a port from 1 to 65535. */
export interface PeerAddress {
  readonly ip: string;
  readonly port: number;
}

/** An address that its node has signed. */
export interface SignedAddress extends PeerAddress {
  /** when it was signed, Unix seconds: a later one replaces it */
  readonly signedAt: bigint;
  readonly tlsSignature: Uint8Array;
}

const MAPPED = Buffer.from("00000000000000000000ffff", "hex");

/** 4 or 16 bytes, as messages have it. */
export function ipBytes(ip: string): Buffer {
  if (isIPv4(ip)) return Buffer.from(ip.split(".").map(Number));
  return Buffer.from(groupsOf(ip).flatMap((group) => [group >> 8, group & 0xff]));
}

/** Undefined if the bytes are no address. IPv4 within IPv6 is IPv4. */
export function ipText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) return undefined;
  const buffer = Buffer.from(bytes);
  if (buffer.subarray(0, 12).equals(MAPPED)) return buffer.subarray(12).join(".");
  return Array.from({ length: 8 }, (_, i) => buffer.readUInt16BE(2 * i).toString(16)).join(":");
}

function groupsOf(ip: string): number[] {
  if (!isIPv6(ip)) throw new TypeError(`${ip} is no IP address`);
  const embedded = /^(.*:)([\d.]+)$/.exec(ip);
  if (embedded !== null && isIPv4(embedded[2]!)) {
    const [a, b, c, d] = embedded[2]!.split(".").map(Number) as [number, number, number, number];
    return groupsOf(`${embedded[1]}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`);
  }
  const [head, tail] = ip
    .split("%", 1)[0]!
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))));
  if (tail === undefined) return head!;
  return [...head!, ...new Array<number>(8 - head!.length - tail.length).fill(0), ...tail];
}

/** What is signed: 16 bytes of address, 2 of port, 8 of time. */
export function addressBytes({ ip, port }: PeerAddress, signedAt: bigint): Buffer {
  const bytes = Buffer.alloc(26);
  const address = ipBytes(ip);
  if (address.length === 4) Buffer.concat([MAPPED, address]).copy(bytes);
  else address.copy(bytes);
  bytes.writeUInt16BE(port, 16);
  bytes.writeBigUInt64BE(signedAt, 18);
  return bytes;
}

export interface AddressKeys {
  /** of the staking certificate */
  readonly tlsKey: KeyObject;
  readonly blsSecretKey: Uint8Array;
}

export interface OwnAddress extends SignedAddress {
  readonly blsSignature: Uint8Array;
}

export function signAddress(address: PeerAddress, signedAt: bigint, { tlsKey, blsSecretKey }: AddressKeys): OwnAddress {
  const bytes = addressBytes(address, signedAt);
  return { ...address, signedAt, tlsSignature: sign("sha256", bytes, tlsKey), blsSignature: signAsProof(blsSecretKey, bytes) };
}

/** Whether the node of this certificate (DER) has signed the address. Never rejects. */
export async function isSignedAddress(certificate: Uint8Array, address: SignedAddress): Promise<boolean> {
  const key = stakingKeyOf(certificate);
  return typeof key !== "string" && (await isSignedBy(addressBytes(address, address.signedAt), key, address.tlsSignature));
}

/** The name of an address in Bloom filters: SHA-256 of node ID and time in a buffer of 40 bytes (p2p.md 6.2). */
export function gossipId(nodeId: NodeId, signedAt: bigint): Buffer {
  const preimage = Buffer.alloc(40);
  preimage.write(nodeId, "hex");
  preimage.writeBigUInt64BE(signedAt, 20);
  return createHash("sha256").update(preimage).digest();
}

/** `203.0.113.7:9651`, `[2001:db8::7]:9651` */
export function addressText(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
