import Type from "typebox";
import { DataError } from "../../errors.ts";
import { dataRoute } from "../../route.ts";
import { nftParams, readNft } from "./read-nft.ts";

export const reindexNft = dataRoute({
  method: "POST",
  path: "/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}:reindex",
  operationId: "reindexNft",
  tag: "EVM: NFTs",
  summary: "Has the metadata of an NFT read again, soon. Once for each NFT and hour.",
  description: "429 within the hour; 503 from a server that only serves what another process indexes.",
  cost: "3 rows",
  computeUnits: 10,
  evm: "chain",
  status: 201,
  params: nftParams,
  query: Type.Object({}),
  response: Type.Object({}),
  async handle({ params }, context) {
    const { evmChainId, reindexNft: reindex } = context.evmChain;
    const { token, tokenId } = await readNft(params, context);
    if (reindex === undefined) throw new DataError(503, `chain ${evmChainId} is not indexed by this process; ask the one that indexes it`);
    if (!(await reindex(token, tokenId))) {
      throw new DataError(429, `the metadata of NFT ${tokenId} was asked for within the last hour; it is read again once an hour at most`);
    }
    return {};
  },
});
