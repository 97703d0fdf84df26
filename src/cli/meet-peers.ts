/** Meets the peers of a network for `firn peers`, as a node without a past: with keys that are made for it and forgotten. */
import { formatId, formatNodeId } from "../base/bytes/cb58.ts";
import { type NodeId, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import { pause } from "../base/work/pause.ts";
import { networkNamed } from "../ingest/following/followed-network.ts";
import { acceptedFrontier } from "../p2p/accepted-frontier.ts";
import { type Beacon, PeerNetwork } from "../p2p/peer-network.ts";
import { addressText } from "../p2p/signed-address.ts";
import { formatVersion } from "../p2p/version.ts";
import type { P2pError, PeerFault } from "../p2p/wire/p2p-error.ts";
import { beaconsOf, type PeerFlags, passingIdentity, requireNetworkName, rulesOf, waitOf } from "./peer-flags.ts";

interface MeetingOptions extends PeerFlags {
  /** mainnet, fuji, local, or the path of a network.json */
  readonly network: string | undefined;
  /** seconds */
  readonly wait: string | undefined;
  readonly signal: AbortSignal;
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

const LOOK_EVERY_MS = 50;

export async function meetPeers(options: MeetingOptions): Promise<Meeting> {
  const network = networkNamed(requireNetworkName(options.network));
  const beacons = beaconsOf(options, network.networkId);
  const waitMs = waitOf(options.wait);
  const bootstrappers = new Map(beacons.map((beacon) => [beacon.nodeId, metPeer(beacon)]));
  const others = new Map<NodeId, MetPeer>();
  const peers = new PeerNetwork({
    identity: passingIdentity(),
    rules: rulesOf(network, options),
    beacons,
    onConnected({ nodeId, introduction }) {
      const { version, address } = introduction!;
      const met = bootstrappers.get(nodeId) ?? others.get(nodeId) ?? metPeer({ nodeId, ...address });
      met.version = formatVersion(version);
      // it may have been reached at the second attempt
      delete met.problem;
      delete met.fault;
      if (!bootstrappers.has(nodeId)) others.set(nodeId, met);
    },
    onEnd(nodeId, reason) {
      const met = nodeId === undefined ? undefined : bootstrappers.get(nodeId);
      if (met !== undefined && met.version === undefined) note(met, reason);
    },
  });
  try {
    const isSettled = () => [...bootstrappers.values()].every(({ version, problem }) => version !== undefined || problem !== undefined);
    for (let waited = 0; waited < waitMs && !options.signal.aborted && !isSettled(); waited += LOOK_EVERY_MS) {
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

function metPeer({ nodeId, ip, port }: Beacon): MetPeer {
  return { nodeId: formatNodeId(nodeId), address: addressText(ip, port) };
}
