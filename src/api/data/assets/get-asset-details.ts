import Type from "typebox";
import { X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { notFound } from "../errors.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { dataRoute } from "../route.ts";
import { assetDetailsOf } from "../transactions/asset.ts";
import { assetDetailsSchema } from "../transactions/schemas.ts";

export const getAssetDetails = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/assets/{assetId}",
  operationId: "getAssetDetails",
  tag: "Primary network: assets",
  summary: "Name, symbol and other details of an X-chain asset.",
  cost: "A few rows",
  computeUnits: 100,
  chains: [X_CHAIN],
  params: Type.Object({ assetId: cb58Id("ID of the asset") }),
  query: Type.Object({}),
  response: assetDetailsSchema,
  async handle({ params: { assetId } }, context) {
    const details = await assetDetailsOf(parseIdParam("assetId", assetId), context);
    if (details === undefined) throw notFound(`the x-chain has no asset ${assetId}`);
    return details;
  },
});
