import Type from "typebox";
import { ERC721, ERC1155 } from "../../../../evm/facts.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { contractAddressQuery, evmAddress, parseEvmAddress, parseOptionalEvmAddress } from "../parameters.ts";
import { collectibleBalanceSchema } from "../token-schemas.ts";
import { heightOf } from "./height.ts";
import { holdingPage } from "./holding-page.ts";
import { currentHoldings } from "./holdings.ts";
import { collectibleBalances } from "./nft-balances.ts";

export const listCollectibleBalances = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/addresses/{address}/balances:listCollectibles",
  operationId: "listCollectibleBalances",
  tag: "EVM: balances",
  summary: "ERC-721 tokens that an address owns, then ERC-1155 tokens that it holds, each in order of their contracts and IDs.",
  cost: "O(pageSize + skipped tokens) rows; after some thousands of them the page ends early",
  computeUnits: 20,
  evm: "chain",
  params: Type.Object({ address: evmAddress("Account or contract") }),
  query: Type.Object({ ...pageQuery(500), ...contractAddressQuery }),
  response: pageOf({ collectibleBalances: Type.Array(collectibleBalanceSchema) }),
  async handle({ params, query: { pageSize, contractAddress } }, context) {
    const holder = parseEvmAddress(params.address);
    const source = currentHoldings(holder, [ERC721, ERC1155], parseOptionalEvmAddress(contractAddress, "contractAddress"), context);
    const { height } = await heightOf(undefined, context);
    const { holdings, ...page } = await holdingPage(source, { holder, height, pageSize, hidesMalicious: false }, context);
    return { ...page, collectibleBalances: await collectibleBalances(holdings, context) };
  },
});
