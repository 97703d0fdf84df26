import { method } from "../method.ts";

export const getTxFee = method({
  name: "avm.getTxFee",
  summary: "The chain's fees.",
  cost: "no row",
  params: {},
  handler: (_params, { network }) => ({ txFee: `${network.txFee}`, createAssetTxFee: `${network.createAssetTxFee}` }),
});
