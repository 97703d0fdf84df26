/**
 * Asks nodes which blocks of a chain they have accepted, and takes what the majority of all of them accepts, as a node does when it begins
 * (p2p.md 13; reference node: snow/consensus/snowman/bootstrapper). Who is silent or not connected counts against.
 */
import type { Id, NodeId } from "../base/bytes/id.ts";
import type { PeerNetwork } from "./peer-network.ts";

/** Those who are asked, and how much each of them weighs: one vote each, or stake in nAVAX. */
export type Voters = ReadonlyMap<NodeId, bigint>;

export interface AcceptedBlock {
  readonly containerId: Id;
  /** of the voters that accept it */
  readonly weight: bigint;
  readonly voters: number;
}

/** More candidates than correct nodes can name: each has one last accepted block. */
const MAX_CANDIDATES = 2048;
const ID_BYTES = 32;

/** Resolves to the blocks that the majority accepts, the most accepted first; empty: they do not agree, or too few answer. Never rejects. */
export async function acceptedFrontier(
  network: Pick<PeerNetwork, "request">,
  chainId: Id,
  voters: Voters,
): Promise<readonly AcceptedBlock[]> {
  const nodeIds = [...voters.keys()];
  const named = await Promise.all(nodeIds.map((nodeId) => lastAcceptedOf(network, chainId, nodeId)));
  const candidates = [...new Set(named.flatMap((id) => id ?? []))].slice(0, MAX_CANDIDATES);
  if (candidates.length === 0) return [];
  const accepted = await Promise.all(nodeIds.map((nodeId) => acceptedAmong(network, chainId, nodeId, candidates)));
  const total = [...voters.values()].reduce((sum, weight) => sum + weight, 0n);
  const majority = total / 2n + 1n;
  const counted = candidates.map((containerId): AcceptedBlock => {
    const forIt = nodeIds.filter((_, i) => accepted[i]!.has(containerId));
    return { containerId, weight: forIt.reduce((sum, nodeId) => sum + voters.get(nodeId)!, 0n), voters: forIt.length };
  });
  return counted.filter(({ weight }) => weight >= majority).sort((a, b) => (a.weight === b.weight ? 0 : a.weight > b.weight ? -1 : 1));
}

async function lastAcceptedOf(network: Pick<PeerNetwork, "request">, chainId: Id, nodeId: NodeId): Promise<Id | undefined> {
  const answer = await network.request(nodeId, { kind: "getAcceptedFrontier", chainId, members: {} }).catch(() => undefined);
  return answer === undefined ? undefined : idOf(answer.containerId);
}

/** Those of the candidates that the node says it has accepted. */
async function acceptedAmong(
  network: Pick<PeerNetwork, "request">,
  chainId: Id,
  nodeId: NodeId,
  candidates: readonly Id[],
): Promise<ReadonlySet<Id>> {
  const members = { containerIds: candidates.map((id) => Buffer.from(id, "hex")) };
  const answer = await network.request(nodeId, { kind: "getAccepted", chainId, members }).catch(() => undefined);
  return new Set(answer?.containerIds.flatMap((bytes) => idOf(bytes) ?? []));
}

function idOf(bytes: Uint8Array): Id | undefined {
  return bytes.length === ID_BYTES ? Buffer.from(bytes).toString("hex") : undefined;
}
