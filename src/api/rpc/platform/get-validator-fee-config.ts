import { method } from "../method.ts";

export const getValidatorFeeConfig = method({
  name: "platform.getValidatorFeeConfig",
  summary: "Parameters of the L1 validators' continuous fee.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler(_params, { network }) {
    const { capacity, target, minPrice, excessConversionConstant } = network.validatorFees;
    return { capacity, target, minPrice, excessConversionConstant };
  },
});
