import { type ValidatorSet, validatorSetProgress } from "../../index/validator-snapshots.ts";
import { canonicalSet } from "../../platform/validator-sets.ts";
import { MAX_U64 } from "../../primitives/amount.ts";
import { formatId } from "../../primitives/cb58.ts";
import { type Id, PRIMARY_NETWORK_ID } from "../../primitives/id.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { answerOnce, renderedBytes } from "./answers.ts";
import { chainState } from "./chain-state.ts";
import { heightOrProposed } from "./height-param.ts";
import { validatorSetAt } from "./validator-sets.ts";

/** All sets as warp signatures count them (rpc-platform 5.2). */
export const getAllValidatorsAt = method({
  name: "platform.getAllValidatorsAt",
  summary: "The validator sets of all subnets at any height, as warp signatures count them.",
  cost: "that of getValidatorsAt for each subnet",
  params: { height: heightOrProposed },
  async handler({ height: asked }, context) {
    const state = await chainState(context);
    const height = asked === "proposed" ? state.height : asked;
    if (height > state.height) {
      const why = "failed to fetch validator set at unfinalized height";
      const heights = `current P-chain height (${state.height}) < requested P-Chain height (${height})`;
      throw new RpcError(`failed to get validator sets at ${height}: ${why}: ${heights}`);
    }
    return answerOnce(state, context.clock, `sets ${height}`, async () => ({
      json: renderedBytes(await setsJson(context.reader, height)),
    }));
  },
});

async function setsJson(reader: StoreReader, height: bigint): Promise<string> {
  const members: string[] = [];
  for (const subnetId of await subnetsWithValidators(reader)) {
    const set = await validatorSetAt(reader, subnetId, height);
    // a set that the node listens to may be shown empty
    if (set.size === 0 && subnetId !== PRIMARY_NETWORK_ID) continue;
    const json = setJson(set);
    if (json !== undefined) members.push(`"${formatId(subnetId)}":${json}`);
  }
  return `{"validatorSets":{${members.sort().join(",")}}}`;
}

/** Every subnet that ever had a validator. */
async function subnetsWithValidators(reader: StoreReader): Promise<Id[]> {
  const found: Id[] = [];
  for await (const { key } of scanAll(reader, validatorSetProgress)) found.push(key.subnetId);
  return found;
}

/** undefined for a total that the node cannot hold either. */
function setJson(set: ValidatorSet): string | undefined {
  const { validators, totalWeight } = canonicalSet(set);
  if (totalWeight > MAX_U64) return undefined;
  const list = validators.map(({ publicKey, weight, nodeIds }) => {
    const names = nodeIds.map((nodeId) => `"${formatNodeId(nodeId)}"`).join(",");
    return `{"publicKey":"0x${publicKey}","weight":"${weight}","nodeIDs":[${names}]}`;
  });
  return `{"validators":[${list.join(",")}],"totalWeight":"${totalWeight}"}`;
}
