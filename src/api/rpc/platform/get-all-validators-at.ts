import { MAX_U64 } from "../../../base/bytes/amount.ts";
import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { type Id, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { uncompress } from "../../../base/signatures/bls.ts";
import { eachInTurns, mapInTurns, type Work } from "../../../base/work/work.ts";
import { canonicalSet } from "../../../chains/platform/validator-sets.ts";
import { type ValidatorSet, validatorSetProgress } from "../../../index/validator-snapshots.ts";
import { scanAll, sideBySide } from "../../../store/store.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { answerOnce, chainState, renderedBytes } from "./chain-state.ts";
import { heightOrProposed } from "./height-param.ts";
import { proposedHeight } from "./proposed-height.ts";
import { type ReadingContext, validatorSetAt } from "./validator-sets.ts";

/** All validator sets as warp signatures count them (rpc-platform 5.2). */
export const getAllValidatorsAt = method({
  name: "platform.getAllValidatorsAt",
  summary: "The validator sets of all subnets at any height, as warp signatures count them.",
  cost: "that of getValidatorsAt for each subnet, in turns, bounded by `requestRows`",
  computeUnits: 100,
  params: { height: heightOrProposed },
  async handler({ height: asked }, context) {
    const state = await chainState(context);
    const height = asked === "proposed" ? await proposedHeight(context) : asked;
    if (height > state.height) {
      const why = "failed to fetch validator set at unfinalized height";
      const heights = `current P-chain height (${state.height}) < requested P-Chain height (${height})`;
      throw new RpcError(`failed to get validator sets at ${height}: ${why}: ${heights}`);
    }
    return answerOnce(state, context, `sets ${height}`, async () => ({
      json: renderedBytes(await setsJson(context, height)),
    }));
  },
});

async function setsJson(context: ReadingContext, height: bigint): Promise<string> {
  const members: string[] = [];
  const read = async (subnetId: Id) => ({ subnetId, set: await validatorSetAt(context, subnetId, height) });
  for await (const { subnetId, set } of sideBySide(await subnetsWithValidators(context), read)) {
    // The primary network's is the only empty set that is listed.
    if (set.size === 0 && subnetId !== PRIMARY_NETWORK_ID) continue;
    const json = await setJson(set, context.work);
    if (json !== undefined) members.push(`"${formatId(subnetId)}":${json}`);
  }
  return `{"validatorSets":{${members.sort().join(",")}}}`;
}

/** Every subnet that ever had a validator. */
async function subnetsWithValidators({ reader }: ReadingContext): Promise<Id[]> {
  const found: Id[] = [];
  for await (const { key } of scanAll(reader, validatorSetProgress)) found.push(key.subnetId);
  return found;
}

/** undefined if the total weight does not fit the node's type, which then leaves out the set too */
async function setJson(set: ValidatorSet, work: Work): Promise<string | undefined> {
  // Sorting needs the uncompressed keys. Uncompressing takes most of the time, so do it in turns; the results are kept.
  await eachInTurns(work, set.values(), ({ publicKey }) => publicKey !== undefined && uncompress(publicKey));
  const { validators, totalWeight } = canonicalSet(set);
  if (totalWeight > MAX_U64) return undefined;
  const list = await mapInTurns(work, validators, ({ publicKey, weight, nodeIds }) => {
    const names = nodeIds.map((nodeId) => `"${formatNodeId(nodeId)}"`).join(",");
    return `{"publicKey":"0x${publicKey}","weight":"${weight}","nodeIDs":[${names}]}`;
  });
  return `{"validators":[${list.join(",")}],"totalWeight":"${totalWeight}"}`;
}
