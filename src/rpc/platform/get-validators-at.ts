import type { ValidatorSet } from "../../index/validator-snapshots.ts";
import { formatId } from "../../primitives/cb58.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { answerOnce, renderedBytes } from "./answers.ts";
import { chainState } from "./chain-state.ts";
import { heightOrProposed } from "./height-param.ts";
import { validatorSetAt } from "./validator-sets.ts";

/** The map of validators itself is the result (rpc-platform 5.1). Any height costs the same. */
export const getValidatorsAt = method({
  name: "platform.getValidatorsAt",
  summary: "Weights and keys of a subnet's validators at any height.",
  cost: "one snapshot and at most as many changes as it has members (at least 256), at any height",
  params: { height: heightOrProposed, subnetID: id },
  async handler({ height: asked, subnetID: subnetId }, context) {
    const state = await chainState(context);
    const height = asked === "proposed" ? state.height : asked;
    if (height > state.height) {
      const why = `failed to fetch validator set at unfinalized height with SubnetID = ${formatId(subnetId)}`;
      const heights = `current P-chain height (${state.height}) < requested P-Chain height (${height})`;
      throw new RpcError(`failed to get validator set at ${height}: ${why}: ${heights}`);
    }
    return answerOnce(state, context.clock, `set ${subnetId} ${height}`, async () => ({
      json: renderedBytes(setJson(await validatorSetAt(context.reader, subnetId, height))),
    }));
  },
});

function setJson(set: ValidatorSet): string {
  const members: string[] = [];
  for (const [nodeId, { weight, publicKey }] of set) {
    const key = publicKey === undefined ? "null" : `"0x${publicKey}"`;
    members.push(`"${formatNodeId(nodeId)}":{"publicKey":${key},"weight":"${weight}"}`);
  }
  // keys are sorted as text; what follows a key does not matter, since none is the start of another one
  return `{${members.sort().join(",")}}`;
}
