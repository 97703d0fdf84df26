/** `info.peers`: what the node is connected to (rpc-avm-info-health 5.5). */
import { formatId } from "../../primitives/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../primitives/id.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import { formatAcceptedAt } from "../index-api/accepted-at.ts";
import { method, type RpcContext } from "../method.ts";
import { listOf, nodeId } from "../params.ts";
import type { JsonObject } from "../raw-json.ts";
import type { Peer } from "./node-facts.ts";

export const peers = method({
  name: "info.peers",
  summary: "Connected peers, or those of some nodes.",
  cost: "O(peers)",
  params: { nodeIDs: listOf(nodeId) },
  handler({ nodeIDs }, context) {
    const connected = context.facts.peerSource.peers();
    const byNodeId = new Map(connected.map((peer) => [peer.nodeId, peer]));
    // In the order asked for; an ID that is asked for twice is answered twice
    const described = nodeIDs.length === 0 ? connected : nodeIDs.flatMap((asked) => byNodeId.get(asked) ?? []);
    return { numPeers: `${described.length}`, peers: described.map((peer) => peerJson(peer, context)) };
  },
});

function peerJson(peer: Peer, { network }: RpcContext): JsonObject {
  const primaryAlias = new Map([
    [PRIMARY_NETWORK_ID, "P"],
    [network.xChainId, "X"],
    [network.cChainId, "C"],
  ]);
  return {
    ip: peer.ip,
    publicIP: peer.publicIp,
    nodeID: formatNodeId(peer.nodeId),
    version: peer.version,
    upgradeTime: peer.upgradeTime,
    lastSent: wholeSeconds(peer.lastSent),
    lastReceived: wholeSeconds(peer.lastReceived),
    observedUptime: `${peer.observedUptime}`,
    trackedSubnets: [...new Set([PRIMARY_NETWORK_ID, ...peer.trackedSubnets])].map(formatId).sort(),
    supportedACPs: [...peer.supportedAcps].sort((a, b) => a - b),
    objectedACPs: [...peer.objectedAcps].sort((a, b) => a - b),
    benched: peer.benched.map((chainId) => primaryAlias.get(chainId) ?? formatId(chainId)),
  };
}

function wholeSeconds(time: Date): string {
  return formatAcceptedAt(BigInt(Math.trunc(time.getTime() / 1000)) * 1_000_000_000n);
}
