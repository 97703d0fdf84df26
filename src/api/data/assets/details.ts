/** Describes an X-chain asset from the transaction that created it. */

import { formatId } from "../../../base/bytes/cb58.ts";
import { utf8 } from "../../../base/bytes/hex.ts";
import type { Id } from "../../../base/bytes/id.ts";
import type { CreateAssetTx } from "../../../chains/asset/tx/create-asset.ts";
import type { AssetDetails } from "../transactions/schemas.ts";

/** @param createdAt Unix seconds */
export function assetDetails(assetId: Id, { name, symbol, denomination, initialStates }: CreateAssetTx, createdAt: bigint): AssetDetails {
  const kinds = initialStates.flatMap(({ outputs }) => outputs.map(({ kind }) => kind));
  return {
    assetId: formatId(assetId),
    name: utf8(name),
    symbol: utf8(symbol),
    denomination,
    type: kinds.some((kind) => kind.startsWith("nft.")) ? "nft" : "secp256k1",
    createdAtTimestamp: Number(createdAt),
    cap: kinds.some((kind) => kind.endsWith(".MintOutput")) ? "variable" : "fixed",
  };
}
