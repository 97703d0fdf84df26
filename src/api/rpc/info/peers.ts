/** `info.peers`: the peers to which the node is connected (rpc-avm-info-health 5.5); a follower passes on those of its node. */

import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { formatAcceptedAt } from "../../../base/json/accepted-at.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import { eachInTurns, mapInTurns, type Work } from "../../../base/work/work.ts";
import type { Peer } from "../../state/node-facts.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { listOf, nodeId } from "../params.ts";
import { passedOn } from "./passed-on.ts";

export const peers = method({
  name: "info.peers",
  summary: "Connected peers, or only the requested nodes; a follower passes on those of its node.",
  cost: "O(peers); on a follower one call of its node in 5 s",
  computeUnits: 20,
  params: { nodeIDs: listOf(nodeId) },
  async handler({ nodeIDs }, context) {
    const passed = await passedOn("info.peers", context);
    if (passed !== undefined) return peersOf(passed, nodeIDs, context.work);
    const connected = context.beyondState().facts.peerSource.peers();
    const byNodeId = new Map(connected.map((peer) => [peer.nodeId, peer]));
    // In the order of the request; an ID that is requested twice is answered twice.
    const described = nodeIDs.length === 0 ? connected : await foundInTurns(context.work, nodeIDs, (asked) => byNodeId.get(asked));
    const peers = await mapInTurns(context.work, described, (peer) => peerJson(peer, context));
    return { numPeers: `${peers.length}`, peers };
  },
});

/** What another node says of its peers. */
async function peersOf(passed: unknown, nodeIds: readonly NodeId[], work: Work): Promise<JsonObject> {
  const { peers: list } = (passed ?? {}) as { peers?: unknown };
  if (!Array.isArray(list) || !list.every(isPeer))
    throw new RpcError("info.peers: the answer of the node that this server follows has no peers");
  if (nodeIds.length === 0) return { numPeers: `${list.length}`, peers: list };
  const byNodeId = new Map(list.map((peer) => [peer.nodeID, peer]));
  const asked = await foundInTurns(work, nodeIds, (nodeId) => byNodeId.get(formatNodeId(nodeId)));
  return { numPeers: `${asked.length}`, peers: asked };
}

async function foundInTurns<T, R>(work: Work, items: readonly T[], find: (item: T) => R | undefined): Promise<R[]> {
  const found: R[] = [];
  await eachInTurns(work, items, (item) => {
    const one = find(item);
    if (one !== undefined) found.push(one);
  });
  return found;
}

function isPeer(value: unknown): value is JsonObject & { readonly nodeID: string } {
  return typeof value === "object" && value !== null && "nodeID" in value && typeof value.nodeID === "string";
}

export function peerJson(peer: Peer, { network }: Pick<RpcContext, "network">): JsonObject {
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
