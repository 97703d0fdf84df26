/** The first message of each side: who it is, where it claims to be, and which rules it follows (p2p.md 5). */
import type { Id } from "../base/bytes/id.ts";
import { BloomFilter } from "./bloom-filter.ts";
import { ipText, isSignedAddress, type OwnAddress, type SignedAddress } from "./signed-address.ts";
import { formatVersion, isCompatible, type PeerVersion, type VersionRule } from "./version.ts";
import type { MessageOf, SentMessage } from "./wire/message-codec.ts";
import { P2pError } from "./wire/p2p-error.ts";

/** in seconds, between this clock and a peer's */
export const MAX_CLOCK_DIFFERENCE = 60n;
const MAX_TRACKED_SUBNETS = 16;
const ID_BYTES = 32;
const MAX_NAME = 64;

/** What every connection of a network shares. */
export interface PeerNetworkRules {
  readonly networkId: number;
  /** of the last upgrade that is scheduled, Unix seconds */
  readonly upgradeTime: bigint;
  readonly versions: VersionRule;
}

export interface Introduction {
  readonly version: PeerVersion;
  readonly address: SignedAddress;
  /** of the last upgrade that it knows, Unix seconds */
  readonly upgradeTime: bigint;
  readonly trackedSubnets: readonly Id[];
  readonly supportedAcps: readonly number[];
  readonly objectedAcps: readonly number[];
  /** whose addresses it knows */
  readonly knownPeers: BloomFilter | undefined;
  /** of its address, by its BLS key: 96 bytes, not verified */
  readonly blsSignature: Uint8Array;
}

export function handshakeOf(rules: PeerNetworkRules, own: OwnAddress, now: bigint, ipAddr: Uint8Array, known: BloomFilter): SentMessage {
  return {
    case: "handshake",
    value: {
      networkId: rules.networkId,
      myTime: now,
      ipAddr,
      ipPort: own.port,
      upgradeTime: rules.upgradeTime,
      ipSigningTime: own.signedAt,
      ipTlsSignature: own.tlsSignature,
      client: rules.versions.own,
      knownPeers: { filter: known.bytes, salt: known.salt },
      ipBlsSignature: own.blsSignature,
    },
  };
}

/**
 * Checks the handshake of a peer in the order of the reference node. Rejects with a P2pError.
 * @param certificate of the connection, DER
 */
export async function checkHandshake(
  sent: MessageOf<"handshake">,
  certificate: Uint8Array,
  rules: PeerNetworkRules,
  now: bigint,
): Promise<Introduction> {
  if (sent.networkId !== rules.networkId) {
    throw new P2pError("network", `it is of network ${sent.networkId}, not of network ${rules.networkId}`);
  }
  requireSameTime(sent.myTime, now);
  const { name = "", major = 0, minor = 0, patch = 0 } = sent.client ?? {};
  const version = { name: name.slice(0, MAX_NAME), major, minor, patch };
  if (!isCompatible(version, rules.versions)) {
    throw new P2pError("version", `its version is ${formatVersion(version)}; the network asks for ${formatLeast(rules.versions)} or newer`);
  }
  const { trackedSubnets, supportedAcps, objectedAcps } = sent;
  if (trackedSubnets.length > MAX_TRACKED_SUBNETS || trackedSubnets.some(({ length }) => length !== ID_BYTES)) {
    throw new P2pError(
      "handshake",
      `it tracks ${trackedSubnets.length} subnets; at most ${MAX_TRACKED_SUBNETS} IDs of ${ID_BYTES} bytes are taken`,
    );
  }
  const filter = sent.knownPeers;
  const knownPeers = filter && BloomFilter.read(filter.filter, filter.salt);
  if (filter !== undefined && knownPeers === undefined) throw new P2pError("handshake", "its Bloom filter of known peers is malformed");
  const address = addressOf(sent, now);
  if (!(await isSignedAddress(certificate, address)))
    throw new P2pError("signature", "the signature of its address is not that of its certificate");
  return {
    version,
    address,
    upgradeTime: sent.upgradeTime,
    trackedSubnets: trackedSubnets.map((id) => Buffer.from(id).toString("hex")),
    supportedAcps: [...new Set(supportedAcps)],
    objectedAcps: [...new Set(objectedAcps)],
    knownPeers,
    blsSignature: sent.ipBlsSignature,
  };
}

function requireSameTime(theirs: bigint, now: bigint): void {
  const ahead = theirs - now;
  if (ahead <= MAX_CLOCK_DIFFERENCE && -ahead <= MAX_CLOCK_DIFFERENCE) return;
  const sentence = `its clock is ${ahead < 0n ? -ahead : ahead} s ${ahead < 0n ? "behind" : "ahead of"} this machine's; set this one by NTP if other peers say the same`;
  throw new P2pError("clock", sentence);
}

function addressOf(sent: MessageOf<"handshake">, now: bigint): SignedAddress {
  const ip = ipText(sent.ipAddr);
  const port = sent.ipPort & 0xffff;
  if (ip === undefined || port === 0) throw new P2pError("handshake", "it claims an address that is none");
  if (sent.ipSigningTime > now + MAX_CLOCK_DIFFERENCE) throw new P2pError("handshake", "it signed its address in the future");
  return { ip, port, signedAt: sent.ipSigningTime, tlsSignature: sent.ipTlsSignature };
}

function formatLeast({ least: { major, minor, patch } }: VersionRule): string {
  return `${major}.${minor}.${patch}`;
}
