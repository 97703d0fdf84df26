import Type from "typebox";
import { ERC1155 } from "../../../../evm/facts.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { contractAddressQuery, evmAddress, parseEvmAddress, parseOptionalEvmAddress } from "../parameters.ts";
import { erc1155TokenBalanceSchema, nativeTokenBalanceSchema } from "../token-schemas.ts";
import { blockNumberQuery, heightOf } from "./height.ts";
import { holdingPage } from "./holding-page.ts";
import { currentHoldings, pastHoldings } from "./holdings.ts";
import { nativeTokenBalance } from "./native-token-balance.ts";
import { erc1155Balances } from "./nft-balances.ts";

export const listErc1155Balances = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/addresses/{address}/balances:listErc1155",
  operationId: "listErc1155Balances",
  tag: "EVM: balances",
  summary: "ERC-1155 tokens that an address holds, now or after a past block, in order of their contracts and IDs.",
  description: "Firn asks the chain's node for the native balance: 503 if it does not answer.",
  cost: "O(pageSize + skipped tokens) rows; after some thousands of them the page ends early",
  computeUnits: 20,
  evm: "chain",
  params: Type.Object({ address: evmAddress("Account or contract") }),
  query: Type.Object({ ...blockNumberQuery, ...pageQuery(500), ...contractAddressQuery }),
  response: pageOf({ nativeTokenBalance: nativeTokenBalanceSchema, erc1155TokenBalances: Type.Array(erc1155TokenBalanceSchema) }),
  async handle({ params, query: { blockNumber, pageSize, contractAddress } }, context) {
    const holder = parseEvmAddress(params.address);
    const contract = parseOptionalEvmAddress(contractAddress, "contractAddress");
    const { height, isPast } = await heightOf(blockNumber, context);
    const source = isPast
      ? pastHoldings(holder, ERC1155, height, contract, context)
      : currentHoldings(holder, [ERC1155], contract, context);
    const [native, { holdings, ...page }] = await Promise.all([
      nativeTokenBalance(context, holder, height),
      holdingPage(source, { holder, height, pageSize, hidesMalicious: false }, context),
    ]);
    return { ...page, nativeTokenBalance: native, erc1155TokenBalances: await erc1155Balances(holdings, context) };
  },
});
