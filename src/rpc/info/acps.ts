/** `info.acps`: what the connected validators say of proposals (rpc-avm-info-health 5.7). A follower passes on what its node counted. */
import { renderedText } from "../../go-json/encode.ts";
import { type JsonObject, RawJson } from "../../go-json/raw-json.ts";
import { eachInTurns } from "../../limits/in-turns.ts";
import { PRIMARY_NETWORK_ID } from "../../primitives/id.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { stakers, totalWeights } from "../platform/snapshot.ts";
import { passedOn } from "./passed-on.ts";

/** The proposals on which the release has validators vote. */
export const CURRENT_ACPS: readonly number[] = [194, 224, 236, 247, 267, 273, 283, 285];

export const acps = method({
  name: "info.acps",
  summary: "Votes of the validators on proposals; a follower passes on what its node counted.",
  cost: "O(peers); on a follower one call of its node in 5 s",
  computeUnits: 20,
  params: {},
  async handler(_, context) {
    const passed = await passedOn("info.acps", context);
    return { acps: byText(passed === undefined ? await counted(context) : votesOf(passed)) };
  },
});

interface Votes {
  support: bigint;
  readonly supporters: string[];
  object: bigint;
  readonly objectors: string[];
}

/** A node counts its peers, not itself. */
async function counted(context: RpcContext): Promise<JsonObject> {
  const { current } = await stakers(context);
  const votes = new Map<number, Votes>();
  const on = (acp: number): Votes => {
    const known = votes.get(acp) ?? { support: 0n, supporters: [], object: 0n, objectors: [] };
    votes.set(acp, known);
    return known;
  };
  await eachInTurns(context.work, context.facts.peerSource.peers(), ({ nodeId, supportedAcps, objectedAcps }) => {
    const weight = current.node(PRIMARY_NETWORK_ID, nodeId)?.weight ?? 0n;
    if (weight === 0n) return;
    for (const acp of supportedAcps) {
      on(acp).support += weight;
      on(acp).supporters.push(formatNodeId(nodeId));
    }
    for (const acp of objectedAcps) {
      on(acp).object += weight;
      on(acp).objectors.push(formatNodeId(nodeId));
    }
  });
  const total = (await totalWeights(context)).get(PRIMARY_NETWORK_ID) ?? 0n;
  for (const acp of CURRENT_ACPS) on(acp);
  const isCurrent = new Set(CURRENT_ACPS);
  return Object.fromEntries(
    [...votes].map(([acp, { support, supporters, object, objectors }]) => [
      `${acp}`,
      {
        supportWeight: `${support}`,
        supporters: supporters.sort(),
        objectWeight: `${object}`,
        objectors: objectors.sort(),
        abstainWeight: `${isCurrent.has(acp) ? total - support - object : 0n}`,
      },
    ]),
  );
}

function votesOf(passed: unknown): JsonObject {
  const { acps: votes } = (passed ?? {}) as { acps?: unknown };
  if (typeof votes === "object" && votes !== null && !Array.isArray(votes)) return votes as JsonObject;
  throw new RpcError("info.acps: the answer of the node that this server follows has no acps");
}

/** Go sorts the members of a map as text; JavaScript would put numbers in their order. */
function byText(members: JsonObject): RawJson {
  const texts = Object.entries(members)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${renderedText(value ?? null)}`);
  return new RawJson(`{${texts.join(",")}}`);
}
