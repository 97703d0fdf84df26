import Type from "typebox";
import { evmNfts } from "../../../../evm/index/tables.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { type NftId, Tokens } from "../present-token.ts";
import { nftSchema } from "../token-schemas.ts";
import { isNoCollection } from "./read-nft.ts";

export const listCollectionTokens = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/nfts/collections/{address}/tokens",
  operationId: "listTokens",
  tag: "EVM: NFTs",
  summary: "NFTs of a collection, in order of their IDs.",
  description: "Burned ones are not listed. A contract without NFTs has an empty list.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Contract of the collection") }),
  query: Type.Object(pageQuery()),
  response: pageOf({ tokens: Type.Array(nftSchema) }, "ListNftTokens"),
  async handle({ params, query: { pageSize } }, context) {
    const { reader, evmChain, after } = context;
    const token = parseEvmAddress(params.address);
    if (await isNoCollection(token, context)) return { tokens: [] };
    const rows = await reader.scan(evmNfts, {
      prefix: { chain: evmChain.chain, token },
      ...(after && { after: { tokenId: String(after.tokenId) } }),
      limit: pageSize + 1,
    });
    const nfts = rows.slice(0, pageSize).map(({ key, value }): NftId => {
      return { kind: value.kind as NftId["kind"], token, tokenId: BigInt(`0x${key.tokenId}`) };
    });
    const tokens = await Tokens.read({ addresses: [token], nfts }, context);
    const last = rows.length > pageSize ? rows[pageSize - 1] : undefined;
    return { ...context.nextPage(last && { tokenId: last.key.tokenId }), tokens: nfts.map((nft) => tokens.nft(nft)) };
  },
});
