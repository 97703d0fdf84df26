/** Which peers of a network a command meets, as its flags say. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { makeStakingCertificate } from "../api/state/certificate.ts";
import { nodeIdOfCertificate, parseNodeId } from "../base/bytes/cb58.ts";
import type { NodeId } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import { generateSecretKey } from "../base/signatures/bls.ts";
import { bootstrappersOf } from "../network/bootstrappers.ts";
import type { Network } from "../network/network.ts";
import type { PeerNetworkRules } from "../p2p/handshake.ts";
import { systemPeerClock } from "../p2p/peer-clock.ts";
import type { Beacon, PeerIdentity } from "../p2p/peer-network.ts";
import { signAddress } from "../p2p/signed-address.ts";
import { DEFAULT_VERSIONS, type VersionRule } from "../p2p/version.ts";

export interface PeerFlags {
  readonly bootstrapIds: readonly string[];
  readonly bootstrapIps: readonly string[];
  readonly leastVersion: string;
}

const LONGEST_WAIT_SECONDS = 3600;
const MAX_BEACONS = 256;
/** It is no listener: nobody dials a node that is no validator. A handshake must name some address. */
export const UNREACHABLE = { ip: "127.0.0.1", port: 9651 };

/** In milliseconds. Throws a FirnError. */
export function waitOf(wait: string | undefined): number {
  const seconds = Number(wait);
  if (!(seconds > 0 && seconds <= LONGEST_WAIT_SECONDS)) throw usage(`--wait is ${wait}; use 1 to ${LONGEST_WAIT_SECONDS} seconds`);
  return seconds * 1000;
}

export function rulesOf({ networkId, upgrades }: Network, { leastVersion }: Pick<PeerFlags, "leastVersion">): PeerNetworkRules {
  return { networkId, upgradeTime: upgrades.times.helicon, versions: versionsOf(leastVersion) };
}

export function requireNetworkName(name: string | undefined): string {
  if (name === undefined)
    throw usage("the network to meet is not named; use --network mainnet, fuji, local, or the path of a network.json");
  return name;
}

function usage(sentence: string): FirnError {
  return new FirnError("config", sentence);
}

/** Throws a FirnError. @param or what else can be done, as the end of a sentence */
export function beaconsOf({ bootstrapIds, bootstrapIps }: Omit<PeerFlags, "leastVersion">, networkId: number, or = ""): readonly Beacon[] {
  const [ids, ips] = [trimmed(bootstrapIds), trimmed(bootstrapIps)];
  if (ids.length === 0 && ips.length === 0) {
    const builtIn = bootstrappersOf(networkId);
    if (builtIn.length === 0)
      throw usage(`network ${networkId} has no built-in bootstrappers; name peers with --bootstrap-ids and --bootstrap-ips${or}`);
    return builtIn;
  }
  if (ids.length !== ips.length || ids.length === 0 || ids.length > MAX_BEACONS) {
    throw usage(
      `--bootstrap-ids has ${ids.length} entries and --bootstrap-ips ${ips.length}; give both, one address for each ID, at most ${MAX_BEACONS}`,
    );
  }
  return ids.map((id, i) => ({ nodeId: readNodeId(id), ...readAddress("--bootstrap-ips", ips[i]!) }));
}

function trimmed(list: readonly string[]): readonly string[] {
  return list.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

function readNodeId(text: string): NodeId {
  try {
    return parseNodeId(text);
  } catch {
    throw usage(`--bootstrap-ids has ${text.slice(0, 80)}; use node IDs such as NodeID-A6onFGyJjA37EZ7kYHANMR1PFRT8NmXrF`);
  }
}

/** @param flag that has it */
export function readAddress(flag: string, text: string): { readonly ip: string; readonly port: number } {
  const [, v6, v4, port = ""] = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  const ip = v6 ?? v4 ?? "";
  if (isIP(ip) === 0 || Number(port) < 1 || Number(port) > 65_535) {
    throw usage(`${flag} has ${text.slice(0, 80)}; use IP addresses with ports, such as 203.0.113.7:9651 or [2001:db8::7]:9651`);
  }
  return { ip, port: Number(port) };
}

function versionsOf(least: string): VersionRule {
  const [, major, minor, patch] = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/.exec(least) ?? [];
  if (patch === undefined) throw usage(`--least-version is ${least.slice(0, 40)}; use three numbers, such as 1.15.0`);
  return { ...DEFAULT_VERSIONS, least: { major: Number(major), minor: Number(minor), patch: Number(patch) } };
}

/** Keys that are made for one run and forgotten. */
export function passingIdentity(): PeerIdentity {
  const { keyPem, certificatePem } = makeStakingCertificate(new Date());
  const keys = { tlsKey: createPrivateKey(keyPem), blsSecretKey: generateSecretKey() };
  return {
    nodeId: nodeIdOfCertificate(new X509Certificate(certificatePem).raw),
    certificate: certificatePem,
    key: keyPem,
    address: signAddress(UNREACHABLE, systemPeerClock.unixSeconds(), keys),
  };
}
