import { formatId } from "../../../base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { transformationOf } from "./transformation.ts";

export const getStakingAssetId = method({
  name: "platform.getStakingAssetID",
  summary: "The asset that is staked on a subnet.",
  cost: "one row",
  computeUnits: 10,
  params: { subnetID: id },
  async handler({ subnetID: subnetId }, context) {
    const assetId = subnetId === PRIMARY_NETWORK_ID ? context.network.avaxAssetId : (await transformationOf(context, subnetId)).assetId;
    return { assetID: formatId(assetId) };
  },
});
