import Type from "typebox";
import { dataRoute } from "../../route.ts";
import { Tokens } from "../present-token.ts";
import { nftSchema } from "../token-schemas.ts";
import { nftParams, readNft } from "./read-nft.ts";

export const getCollectionToken = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}",
  operationId: "getTokenDetails",
  tag: "EVM: NFTs",
  summary: "One NFT: the URI of its metadata, the known metadata, and the owner of an ERC-721 token.",
  cost: "5 rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: nftParams,
  query: Type.Object({}),
  response: nftSchema,
  async handle({ params }, context) {
    const nft = await readNft(params, context);
    const tokens = await Tokens.read({ addresses: [nft.token], nfts: [nft] }, context);
    return tokens.nft(nft);
  },
});
