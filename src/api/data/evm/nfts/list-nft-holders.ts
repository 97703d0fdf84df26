import Type from "typebox";
import { ERC721 } from "../../../../evm/facts.ts";
import { balanceOfRank, NO_TOTALS } from "../../../../evm/index/holder-rows.ts";
import { evmTokenTotals } from "../../../../evm/index/holder-tables.ts";
import { notFound } from "../../errors.ts";
import { exactInteger } from "../../exact-integer.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { formatAddress, Tokens } from "../present-token.ts";
import { knownToken } from "../tokens/known-tokens.ts";
import { holdersAfter } from "../tokens/list-holders.ts";
import { addressDetailsSchema } from "../tokens/schemas.ts";

export const listNftHolders = dataRoute({
  method: "GET",
  version: 2,
  path: "/chains/{chainId}/contracts/{address}/nfts:listHolders",
  operationId: "getNftHoldersByContractAddress",
  tag: "EVM: NFTs",
  summary: "Addresses that own NFTs of a collection (ERC-721) now, those with the most first.",
  description: "Addresses with as many NFTs are in the order of their bytes.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Contract of the collection") }),
  query: Type.Object({ ...pageQuery(5000, 1000) }),
  response: pageOf(
    {
      addresses: Type.Array(addressDetailsSchema),
      nftCollectionName: Type.Optional(Type.Array(Type.String(), { description: "The collection's name, if it has one." })),
      nftSymbol: Type.Optional(Type.Array(Type.String(), { description: "Its symbol, if it has one." })),
      totalHolders: exactInteger("Addresses that own NFTs of the collection."),
      totalTokens: exactInteger("NFTs that exist."),
    },
    "NftHoldersResponse",
  ),
  async handle({ params, query: { pageSize } }, context) {
    const token = await knownToken(parseEvmAddress(params.address), context);
    if (token.kind !== ERC721)
      throw notFound(`${formatAddress(token.token)} is no collection of NFTs (ERC-721); /v1/chains lists holders of tokens`);
    const { reader, evmChain } = context;
    const [rows, totals, tokens] = await Promise.all([
      holdersAfter(token, undefined, pageSize + 1, context),
      reader.get(evmTokenTotals, { chain: evmChain.chain, token: token.token }),
      Tokens.read({ addresses: [token.token] }, context),
    ]);
    const { name, symbol } = tokens.address(token.token);
    const { owners, nfts } = totals ?? NO_TOTALS;
    const shown = rows.slice(0, pageSize);
    const last = rows.length > pageSize ? shown.at(-1) : undefined;
    return {
      ...context.nextPage(last && { rank: last.rank, holder: last.holder }),
      addresses: shown.map(({ rank, holder }) => ({ address: formatAddress(holder), sortKey: `${balanceOfRank(rank)}` })),
      ...(name !== undefined && { nftCollectionName: [name] }),
      ...(symbol !== undefined && { nftSymbol: [symbol] }),
      totalHolders: owners,
      totalTokens: nfts,
    };
  },
});
