import { exponentialPrice } from "../../../chains/platform/complexity.ts";
import { method } from "../method.ts";
import { chainState } from "./chain-state.ts";
import { rfc3339 } from "./rfc3339.ts";

/** The state after the last accepted block, not advanced to the current time. */
export const getFeeState = method({
  name: "platform.getFeeState",
  summary: "Capacity, excess and price of gas as of the last block.",
  cost: "one row",
  computeUnits: 10,
  params: {},
  async handler(_params, context) {
    const { feeCapacity, feeExcess, timestamp } = await chainState(context);
    const { minGasPrice, excessConversionConstant } = context.network.dynamicFees;
    return {
      capacity: feeCapacity,
      excess: feeExcess,
      price: exponentialPrice(minGasPrice, feeExcess, excessConversionConstant),
      timestamp: rfc3339(timestamp),
    };
  },
});
