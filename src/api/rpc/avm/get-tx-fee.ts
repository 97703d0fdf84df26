import { method } from "../method.ts";

export const getTxFee = method({
  name: "avm.getTxFee",
  summary: "The chain's fees.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler: (_params, { network }) => ({ txFee: `${network.txFee}`, createAssetTxFee: `${network.createAssetTxFee}` }),
});
