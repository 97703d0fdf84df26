import { method } from "../method.ts";

export const getValidatorFeeConfig = method({
  name: "platform.getValidatorFeeConfig",
  params: {},
  handler(_params, { network }) {
    const { capacity, target, minPrice, excessConversionConstant } = network.validatorFees;
    return { capacity, target, minPrice, excessConversionConstant };
  },
});
