import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { transformationOf } from "./transformation.ts";

export const getMinStake = method({
  name: "platform.getMinStake",
  summary: "Minimum stake of a validator and of a delegator.",
  cost: "one row",
  computeUnits: 10,
  params: { subnetID: id },
  async handler({ subnetID: subnetId }, context) {
    const { minValidatorStake, minDelegatorStake } =
      subnetId === PRIMARY_NETWORK_ID ? context.network.staking : await transformationOf(context, subnetId);
    return { minValidatorStake: `${minValidatorStake}`, minDelegatorStake: `${minDelegatorStake}` };
  },
});
