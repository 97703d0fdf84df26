import { formatId } from "../../../base/bytes/cb58.ts";
import { assets, assetTxs } from "../../../chains/asset/tables.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { string } from "../params.ts";
import { resolveAsset } from "./assets.ts";
import { chainNumber } from "./chain.ts";

export const getAssetDescription = method({
  name: "avm.getAssetDescription",
  summary: "Name, symbol and denomination of an asset, by ID or alias.",
  cost: "one row",
  computeUnits: 10,
  params: { assetID: string },
  async handler({ assetID }, context) {
    const assetId = await resolveAsset(context, assetID);
    const chain = chainNumber(context);
    const asset = await context.reader.get(assets, { chain, assetId });
    if (asset === undefined) {
      const isTx = (await context.reader.get(assetTxs, { chain, txId: assetId })) !== undefined;
      throw new RpcError(isTx ? "transaction doesn't create an asset" : "not found");
    }
    const { name, symbol, denomination } = asset;
    return { assetID: formatId(assetId), name: utf8(name), symbol: utf8(symbol), denomination: `${denomination}` };
  },
});

/** Names are stored as bytes, which need not be UTF-8. */
function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
