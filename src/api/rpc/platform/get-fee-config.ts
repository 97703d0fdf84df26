import { method } from "../method.ts";

export const getFeeConfig = method({
  name: "platform.getFeeConfig",
  summary: "Parameters of the dynamic fee.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler(_params, { network: { dynamicFees: fees } }) {
    return {
      weights: [fees.bandwidthWeight, fees.dbReadWeight, fees.dbWriteWeight, fees.computeWeight],
      maxCapacity: fees.maxGasCapacity,
      maxPerSecond: fees.maxGasPerSecond,
      targetPerSecond: fees.targetGasPerSecond,
      minPrice: fees.minGasPrice,
      excessConversionConstant: fees.excessConversionConstant,
    };
  },
});
