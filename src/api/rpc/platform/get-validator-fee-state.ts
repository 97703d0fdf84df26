import { exponentialPrice } from "../../../chains/platform/complexity.ts";
import { method } from "../method.ts";
import { chainState } from "./chain-state.ts";
import { rfc3339 } from "./rfc3339.ts";

/** The state after the last accepted block, not advanced to the current time. */
export const getValidatorFeeState = method({
  name: "platform.getValidatorFeeState",
  summary: "Excess and price of the L1 validators' continuous fee as of the last block.",
  cost: "one row",
  computeUnits: 10,
  params: {},
  async handler(_params, context) {
    const { l1Excess, timestamp } = await chainState(context);
    const { minPrice, excessConversionConstant } = context.network.validatorFees;
    return { excess: l1Excess, price: exponentialPrice(minPrice, l1Excess, excessConversionConstant), timestamp: rfc3339(timestamp) };
  },
});
