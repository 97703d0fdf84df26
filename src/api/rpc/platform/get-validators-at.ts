import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { mapInTurns, sortInTurns, type Work } from "../../../base/work/work.ts";
import type { ValidatorSet } from "../../../index/validator-snapshots.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { answerOnce, chainState, renderedBytes } from "./chain-state.ts";
import { heightOrProposed } from "./height-param.ts";
import { proposedHeight } from "./proposed-height.ts";
import { validatorSetAt } from "./validator-sets.ts";

/** The result itself is the map of validators (rpc-platform 5.1). The cost does not depend on the height. */
export const getValidatorsAt = method({
  name: "platform.getValidatorsAt",
  summary: "Weights and keys of a subnet's validators at any height.",
  cost: "one snapshot and at most as many changes as it has members (at least 256), at any height",
  computeUnits: 50,
  params: { height: heightOrProposed, subnetID: id },
  async handler({ height: asked, subnetID: subnetId }, context) {
    const state = await chainState(context);
    const height = asked === "proposed" ? await proposedHeight(context) : asked;
    if (height > state.height) {
      const why = `failed to fetch validator set at unfinalized height with SubnetID = ${formatId(subnetId)}`;
      const heights = `current P-chain height (${state.height}) < requested P-Chain height (${height})`;
      throw new RpcError(`failed to get validator set at ${height}: ${why}: ${heights}`);
    }
    return answerOnce(state, context, `set ${subnetId} ${height}`, async () => ({
      json: renderedBytes(await setJson(await validatorSetAt(context, subnetId, height), context.work)),
    }));
  },
});

async function setJson(set: ValidatorSet, work: Work): Promise<string> {
  const members = await mapInTurns(work, set, ([nodeId, { weight, publicKey }]) => {
    const key = publicKey === undefined ? "null" : `"0x${publicKey}"`;
    return `"${formatNodeId(nodeId)}":{"publicKey":${key},"weight":"${weight}"}`;
  });
  // Members are sorted by key. The bytes after a key do not matter, since no key is the beginning of another.
  return `{${(await sortInTurns(work, members)).join(",")}}`;
}
