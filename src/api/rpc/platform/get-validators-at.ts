import { formatId } from "../../../base/bytes/cb58.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { answerOnce, chainState } from "./chain-state.ts";
import { heightOrProposed } from "./height-param.ts";
import { proposedHeight } from "./proposed-height.ts";
import { validatorSetJson } from "./validator-history.ts";

/** The result itself is the map of validators (rpc-platform 5.1). The cost does not depend on the height. */
export const getValidatorsAt = method({
  name: "platform.getValidatorsAt",
  summary: "Weights and keys of a subnet's validators at any height.",
  cost: "one snapshot and at most as many changes as it has members (at least 256), at any height; changes that were read for another height once",
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
      json: await validatorSetJson(context, subnetId, height),
    }));
  },
});
