/** The peers of the network that `firn follow` follows without a node of one's own. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import { openStakingKeys } from "../../api/state/identity.ts";
import { formatNodeId, nodeIdOfCertificate } from "../../base/bytes/cb58.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { FollowedNetwork } from "../../ingest/following/followed-network.ts";
import type { Network } from "../../network/network.ts";
import type { PeerNetworkRules } from "../../p2p/handshake.ts";
import { systemPeerClock } from "../../p2p/peer-clock.ts";
import type { Beacon } from "../../p2p/peer-network.ts";
import { addressText, type PeerAddress, signAddress } from "../../p2p/signed-address.ts";
import { PeerNode } from "../../serve/peers/peer-node.ts";
import { StoredState } from "../../serve/peers/stored-state.ts";
import { PeersApart } from "../../sources/peers/peers-apart.ts";
import type { Store } from "../../store/store.ts";
import type { Config } from "../config.ts";
import { beaconsOf, readAddress, rulesOf, UNREACHABLE } from "../peer-flags.ts";

export type PeersConfig = Pick<
  Config,
  "dataDir" | "bootstrapIds" | "bootstrapIps" | "leastVersion" | "withPeers" | "servePeers" | "limits"
>;

interface PeersSettings {
  readonly bootstrappers: readonly Beacon[];
  readonly rules: PeerNetworkRules;
  /** where peers may connect; undefined: they may not */
  readonly listening: PeerAddress | undefined;
}

/** What the configuration says of peers. Throws a FirnError. */
export function peersSettings(config: PeersConfig, network: Network): PeersSettings {
  const { servePeers } = config;
  return {
    bootstrappers: beaconsOf(config, network.networkId, ", or a node with --upstream <url>"),
    rules: rulesOf(network, config),
    listening: servePeers === undefined ? undefined : readAddress("--serve-peers", servePeers),
  };
}

interface FollowedPeers {
  /** host:port at which peers reach this node; undefined: they cannot, or it is not known */
  readonly publicIp: string | undefined;
  readonly source: PeersApart;
  /** what the serving processes ask of them */
  readonly node: PeerNode;
}

/** Connects the peers, and lets them connect if the configuration says so. The caller closes the source. */
export async function openPeers(
  { bootstrappers, rules, listening }: PeersSettings,
  { network, networkFile }: FollowedNetwork,
  { dataDir, limits }: PeersConfig,
  store: Store,
  log: Logger,
): Promise<FollowedPeers> {
  const { certificate, key, blsSecretKey } = openStakingKeys(dataDir);
  const keys = { tlsKey: createPrivateKey(key), blsSecretKey };
  const nodeId = nodeIdOfCertificate(new X509Certificate(certificate).raw);
  const state = new StoredState(store);
  let node: PeerNode | undefined;
  const { peers, port } = await PeersApart.open({
    identity: { nodeId, certificate, key, address: signAddress(claimOf(listening), systemPeerClock.unixSeconds(), keys) },
    rules,
    beacons: bootstrappers,
    listening,
    serve: async (request, from) => node?.answer(request, from),
    network,
    networkFile,
    executed: state,
    directory: join(dataDir, "peers"),
    mostFetchedBytes: limits.fetchedBlocksBytes,
    log,
  }).catch((cause) => Promise.reject(listening === undefined ? cause : notListening(listening, cause)));
  if (listening !== undefined) log.info({ nodeId: formatNodeId(nodeId), address: listening.ip, port }, "Peers may connect");
  node = new PeerNode({ peers, network, store, state });
  const publicIp = listening === undefined || isAny(listening) ? undefined : addressText(listening.ip, listening.port);
  return { source: peers, node, publicIp };
}

/** Nodes dial validators only, so it is of no use to others than those who are told of it. */
function claimOf(listening: PeerAddress | undefined): PeerAddress {
  return listening === undefined || isAny(listening) ? UNREACHABLE : listening;
}

function isAny({ ip }: PeerAddress): boolean {
  return ip === "0.0.0.0" || ip === "::";
}

function notListening({ ip, port }: PeerAddress, cause: Error): FirnError {
  const sentence = `peers cannot connect at ${ip}:${port}: ${cause.message}; end the program that has the port, or name another one with --serve-peers`;
  return new FirnError("peers", sentence, { port }, { cause });
}
