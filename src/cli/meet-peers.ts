/** Meets the peers of a network for `firn peers`, as a node without a past: with keys that are made for it and forgotten. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { makeStakingCertificate } from "../api/state/certificate.ts";
import { formatId, formatNodeId, nodeIdOfCertificate, parseNodeId } from "../base/bytes/cb58.ts";
import { type NodeId, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import { generateSecretKey } from "../base/signatures/bls.ts";
import { pause } from "../base/work/pause.ts";
import { networkNamed } from "../ingest/following/followed-network.ts";
import { bootstrappersOf } from "../network/bootstrappers.ts";
import { acceptedFrontier } from "../p2p/accepted-frontier.ts";
import { systemClock } from "../p2p/peer-clock.ts";
import { type Beacon, PeerNetwork } from "../p2p/peer-network.ts";
import { signAddress } from "../p2p/signed-address.ts";
import { DEFAULT_VERSIONS, formatVersion, type VersionRule } from "../p2p/version.ts";
import type { P2pError, PeerFault } from "../p2p/wire/p2p-error.ts";

interface MeetingOptions {
  /** mainnet, fuji, local, or the path of a network.json */
  readonly network: string | undefined;
  readonly signal: AbortSignal;
  readonly bootstrapIds?: string | undefined;
  readonly bootstrapIps?: string | undefined;
  readonly leastVersion?: string | undefined;
  /** seconds */
  readonly wait?: string | undefined;
}

interface MetPeer {
  readonly nodeId: string;
  readonly address: string;
  /** such as avalanchego/1.15.3; absent: it was not met */
  version?: string;
  /** why it was not met, as the end of a sentence */
  problem?: string;
  fault?: PeerFault;
}

interface Meeting {
  readonly network: string;
  readonly bootstrappers: readonly MetPeer[];
  /** peers that the bootstrappers told and that were met, too */
  readonly others: readonly MetPeer[];
  /** the newest block of the P-chain that the majority of all bootstrappers has accepted; absent: they do not say so */
  readonly platformTip?: { readonly containerId: string; readonly bootstrappers: number };
  /** addresses of nodes that are known in the end */
  readonly knownAddresses: number;
}

const LONGEST_WAIT_SECONDS = 3600;
const MAX_BEACONS = 256;
const LOOK_EVERY_MS = 50;
/** It is no listener: nobody dials a node that is no validator. A handshake must name some address. */
const CLAIMED = { ip: "127.0.0.1", port: 9651 };

export async function meetPeers(options: MeetingOptions): Promise<Meeting> {
  const network = networkNamed(requireName(options.network));
  const beacons = beaconsOf(options, network.networkId);
  const waitSeconds = Number(options.wait);
  if (!(waitSeconds > 0 && waitSeconds <= LONGEST_WAIT_SECONDS))
    throw usage(`--wait is ${options.wait}; use 1 to ${LONGEST_WAIT_SECONDS} seconds`);
  const bootstrappers = new Map(beacons.map((beacon) => [beacon.nodeId, metPeer(beacon)]));
  const others = new Map<NodeId, MetPeer>();
  const peers = new PeerNetwork({
    identity: makeIdentity(),
    rules: { networkId: network.networkId, upgradeTime: network.upgrades.times.helicon, versions: versionsOf(options.leastVersion) },
    beacons,
    onConnected({ nodeId, introduction }) {
      const { version, address } = introduction!;
      const met = bootstrappers.get(nodeId) ?? others.get(nodeId) ?? metPeer({ nodeId, ...address });
      met.version = formatVersion(version);
      if (!bootstrappers.has(nodeId)) others.set(nodeId, met);
    },
    onEnd(nodeId, reason) {
      const met = nodeId === undefined ? undefined : bootstrappers.get(nodeId);
      if (met !== undefined && met.version === undefined) note(met, reason);
    },
  });
  try {
    const isSettled = () => [...bootstrappers.values()].every(({ version, problem }) => version !== undefined || problem !== undefined);
    for (let waited = 0; waited < waitSeconds * 1000 && !options.signal.aborted && !isSettled(); waited += LOOK_EVERY_MS) {
      await pause(LOOK_EVERY_MS, options.signal);
    }
    const voters = new Map(beacons.map(({ nodeId }) => [nodeId, 1n]));
    // fewer have accepted a newer one
    const tip = (await acceptedFrontier(peers, PLATFORM_CHAIN_ID, voters)).at(-1);
    return {
      network: network.name,
      bootstrappers: [...bootstrappers.values()],
      others: [...others.values()],
      ...(tip && { platformTip: { containerId: formatId(tip.containerId), bootstrappers: tip.voters } }),
      knownAddresses: peers.knownAddresses,
    };
  } finally {
    await peers.close();
  }
}

function note(met: MetPeer, { fault, message }: P2pError): void {
  met.fault = fault;
  met.problem = message;
}

export function meetingLines({ network, bootstrappers, others, platformTip, knownAddresses }: Meeting): string[] {
  const met = bootstrappers.filter(({ version }) => version !== undefined);
  return [
    ...[...bootstrappers, ...others].map(({ nodeId, address, version, problem = "it did not answer in time" }) => {
      return `${nodeId.padEnd(41)} ${address.padEnd(21)} ${version ?? problem}`;
    }),
    platformTip === undefined
      ? "there is no block of the P-chain that the majority of the bootstrappers says it has accepted"
      : `${platformTip.bootstrappers} of ${bootstrappers.length} bootstrappers have accepted the P-chain's block ${platformTip.containerId}`,
    `${met.length} of ${bootstrappers.length} bootstrappers of ${network} answer; ${others.length} other peers were met, and ${knownAddresses} addresses are known`,
  ];
}

/** Throws a FirnError with what to do if nobody was met. */
export function requireMet({ network, bootstrappers }: Meeting): void {
  if (bootstrappers.some(({ version }) => version !== undefined)) return;
  const faults = new Set(bootstrappers.map(({ fault }) => fault));
  const [only] = faults.size === 1 ? faults : [];
  const advice = (only && ADVICE[only]) ?? ADVICE.unreachable;
  throw new FirnError("peers", `no bootstrapper of ${network} could be met; ${advice}`, { network });
}

const ADVICE: Partial<Record<PeerFault, string>> & { readonly unreachable: string } = {
  unreachable: "let TCP to port 9651 out through the firewall, or name other peers with --bootstrap-ids and --bootstrap-ips",
  closed: "nodes close a connection at once if the network is another, or the clocks differ by more than a minute",
  clock: "set this machine's clock, which differs from theirs by more than a minute",
  network: "name the network that they are of with --network",
  version: "lower the floor with --least-version, if the network still takes such peers",
  identity: "name the peers' own node IDs in --bootstrap-ids, in the order of --bootstrap-ips",
};

function requireName(name: string | undefined): string {
  if (name === undefined)
    throw usage("firn peers needs the network to meet; name it with --network mainnet, fuji, local, or the path of a network.json");
  return name;
}

function usage(sentence: string): FirnError {
  return new FirnError("config", sentence);
}

function beaconsOf({ bootstrapIds, bootstrapIps }: MeetingOptions, networkId: number): readonly Beacon[] {
  if (bootstrapIds === undefined && bootstrapIps === undefined) {
    const builtIn = bootstrappersOf(networkId);
    if (builtIn.length === 0)
      throw usage(`network ${networkId} has no built-in bootstrappers; name peers with --bootstrap-ids and --bootstrap-ips`);
    return builtIn;
  }
  const [ids, ips] = [split(bootstrapIds), split(bootstrapIps)];
  if (ids.length !== ips.length || ids.length === 0 || ids.length > MAX_BEACONS) {
    throw usage(
      `--bootstrap-ids has ${ids.length} entries and --bootstrap-ips ${ips.length}; give both, one address for each ID, at most ${MAX_BEACONS}`,
    );
  }
  return ids.map((id, i) => ({ nodeId: readNodeId(id), ...readAddress(ips[i]!) }));
}

function split(list = ""): readonly string[] {
  return list.split(",").flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()]));
}

function readNodeId(text: string): NodeId {
  try {
    return parseNodeId(text);
  } catch {
    throw usage(`--bootstrap-ids has ${text.slice(0, 80)}; use node IDs such as NodeID-A6onFGyJjA37EZ7kYHANMR1PFRT8NmXrF`);
  }
}

function readAddress(text: string): { readonly ip: string; readonly port: number } {
  const [, v6, v4, port = ""] = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  const ip = v6 ?? v4 ?? "";
  if (isIP(ip) === 0 || Number(port) < 1 || Number(port) > 65_535) {
    throw usage(`--bootstrap-ips has ${text.slice(0, 80)}; use IP addresses with ports, such as 203.0.113.7:9651 or [2001:db8::7]:9651`);
  }
  return { ip, port: Number(port) };
}

function versionsOf(least = ""): VersionRule {
  const [, major, minor, patch] = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/.exec(least) ?? [];
  if (patch === undefined) throw usage(`--least-version is ${least.slice(0, 40)}; use three numbers, such as 1.15.0`);
  return { ...DEFAULT_VERSIONS, least: { major: Number(major), minor: Number(minor), patch: Number(patch) } };
}

function metPeer({ nodeId, ip, port }: Beacon): MetPeer {
  return { nodeId: formatNodeId(nodeId), address: isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}` };
}

function makeIdentity() {
  const { keyPem, certificatePem } = makeStakingCertificate(new Date());
  const keys = { tlsKey: createPrivateKey(keyPem), blsSecretKey: generateSecretKey() };
  return {
    nodeId: nodeIdOfCertificate(new X509Certificate(certificatePem).raw),
    certificate: certificatePem,
    key: keyPem,
    address: signAddress(CLAIMED, systemClock.unixSeconds(), keys),
  };
}
