import Type from "typebox";
import { DataError } from "../../errors.ts";
import { dataRoute } from "../../route.ts";
import { nftParams, readNft } from "./read-nft.ts";

export const reindexNft = dataRoute({
  method: "POST",
  path: "/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}:reindex",
  operationId: "reindexNft",
  tag: "EVM: NFTs",
  summary: "Requests that the metadata of an NFT be read again, at most once an hour for each NFT.",
  description: "429 within the hour. 503 from a server whose index another process writes.",
  cost: "3 rows",
  computeUnits: 10,
  evm: "chain",
  changes: true,
  status: 201,
  params: nftParams,
  query: Type.Object({}),
  response: Type.Object({}),
  async handle({ params }, context) {
    const { evmChainId, reindexNft: reindex } = context.evmChain;
    const { token, tokenId } = await readNft(params, context);
    if (reindex === undefined)
      throw new DataError(503, `chain ${evmChainId} is not indexed by this process; send the request to the process that indexes it`);
    if (!(await reindex(token, tokenId))) {
      throw new DataError(429, `the metadata of NFT ${tokenId} was requested within the last hour; it is read at most once an hour`);
    }
    return {};
  },
});
