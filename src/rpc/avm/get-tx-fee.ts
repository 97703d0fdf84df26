import { method } from "../method.ts";

export const getTxFee = method({
  name: "avm.getTxFee",
  params: {},
  handler: (_params, { network }) => ({ txFee: `${network.txFee}`, createAssetTxFee: `${network.createAssetTxFee}` }),
});
