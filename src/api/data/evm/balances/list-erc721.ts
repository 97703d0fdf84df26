import Type from "typebox";
import { ERC721 } from "../../../../evm/facts.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { contractAddressQuery, evmAddress, parseEvmAddress, parseOptionalEvmAddress } from "../parameters.ts";
import { erc721TokenBalanceSchema, nativeTokenBalanceSchema } from "../token-schemas.ts";
import { heightOf } from "./height.ts";
import { holdingPage } from "./holding-page.ts";
import { currentHoldings } from "./holdings.ts";
import { nativeTokenBalance } from "./native-token-balance.ts";
import { erc721Balances } from "./nft-balances.ts";

export const listErc721Balances = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/addresses/{address}/balances:listErc721",
  operationId: "listErc721Balances",
  tag: "EVM: balances",
  summary: "ERC-721 tokens that an address owns, in order of their contracts and IDs.",
  description: "Firn asks the chain's node for the native balance: 503 if it does not answer.",
  cost: "O(pageSize + skipped tokens) rows; after some thousands of them the page ends early",
  computeUnits: 20,
  evm: "chain",
  params: Type.Object({ address: evmAddress("Account or contract") }),
  query: Type.Object({ ...pageQuery(500), ...contractAddressQuery }),
  response: pageOf({ nativeTokenBalance: nativeTokenBalanceSchema, erc721TokenBalances: Type.Array(erc721TokenBalanceSchema) }),
  async handle({ params, query: { pageSize, contractAddress } }, context) {
    const holder = parseEvmAddress(params.address);
    const source = currentHoldings(holder, [ERC721], parseOptionalEvmAddress(contractAddress, "contractAddress"), context);
    const { height } = await heightOf(undefined, context);
    const [native, { holdings, ...page }] = await Promise.all([
      nativeTokenBalance(context, holder, height),
      holdingPage(source, { holder, height, pageSize, hidesMalicious: false }, context),
    ]);
    return { ...page, nativeTokenBalance: native, erc721TokenBalances: await erc721Balances(holdings, context) };
  },
});
