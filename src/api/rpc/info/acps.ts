/** `info.acps`: what the connected validators say of proposals (rpc-avm-info-health 5.7). A follower passes on what its node counted. */

import { formatNodeId } from "../../../base/bytes/cb58.ts";
import { type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import { eachInTurns, type Work } from "../../../base/work/work.ts";
import type { Peer } from "../../state/node-facts.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { stakers, totalWeights } from "../platform/snapshot.ts";
import { passedOn } from "./passed-on.ts";

/** The proposals on which the release has validators vote (networks 5). */
export const CURRENT_ACPS: readonly number[] = [194, 224, 236, 247, 267, 273, 283, 285];

export const acps = method({
  name: "info.acps",
  summary: "Votes of the validators on proposals; a follower passes on what its node counted.",
  cost: "O(peers); on a follower one call of its node in 5 s",
  computeUnits: 20,
  params: {},
  async handler(_, context) {
    const passed = await passedOn("info.acps", context);
    return { acps: passed === undefined ? await counted(context) : votesOf(passed) };
  },
});

interface Vote {
  weight: bigint;
  readonly nodeIds: string[];
}

async function counted(context: RpcContext): Promise<JsonObject> {
  const { current } = await stakers(context);
  const total = (await totalWeights(context)).get(PRIMARY_NETWORK_ID) ?? 0n;
  const weightOf = (nodeId: NodeId) => current.node(PRIMARY_NETWORK_ID, nodeId)?.weight ?? 0n;
  return countVotes(context.beyondState().facts.peerSource.peers(), { weightOf, total }, context.work);
}

interface Stake {
  readonly weightOf: (nodeId: NodeId) => bigint;
  readonly total: bigint;
}

/** A node counts its peers, not itself, and leaves out votes on other proposals. */
export async function countVotes(peers: readonly Peer[], { weightOf, total }: Stake, work: Work): Promise<JsonObject> {
  const ballots = CURRENT_ACPS.map((acp) => ({ acp, support: noVote(), object: noVote() }));
  await eachInTurns(work, peers, ({ nodeId, supportedAcps, objectedAcps }) => {
    const weight = weightOf(nodeId);
    if (weight === 0n) return;
    for (const { acp, support, object } of ballots) {
      if (supportedAcps.includes(acp)) cast(support, nodeId, weight);
      if (objectedAcps.includes(acp)) cast(object, nodeId, weight);
    }
  });
  return Object.fromEntries(
    ballots.map(({ acp, support, object }) => [
      `${acp}`,
      {
        supportWeight: `${support.weight}`,
        supporters: support.nodeIds.sort(),
        objectWeight: `${object.weight}`,
        objectors: object.nodeIds.sort(),
        abstainWeight: `${total - support.weight - object.weight}`,
      },
    ]),
  );
}

function noVote(): Vote {
  return { weight: 0n, nodeIds: [] };
}

function cast(vote: Vote, nodeId: NodeId, weight: bigint): void {
  vote.weight += weight;
  vote.nodeIds.push(formatNodeId(nodeId));
}

function votesOf(passed: unknown): JsonObject {
  const { acps: votes } = (passed ?? {}) as { acps?: unknown };
  if (typeof votes === "object" && votes !== null && !Array.isArray(votes)) return votes as JsonObject;
  throw new RpcError("info.acps: the answer of the node that this server follows has no acps");
}
