import Type from "typebox";
import { ERC20 } from "../../../../evm/facts.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { badRequest } from "../../errors.ts";
import { csv, pageOf, pageQuery, splitCsv } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { Tokens } from "../present-token.ts";
import { currencyQuery, erc20TokenBalanceSchema, nativeTokenBalanceSchema } from "../token-schemas.ts";
import { blockNumberQuery, heightOf } from "./height.ts";
import { holdingPage } from "./holding-page.ts";
import { currentErc20, namedErc20, pastHoldings } from "./holdings.ts";
import { nativeTokenBalance } from "./native-token-balance.ts";

const MAX_CONTRACTS = 100;

export const listErc20Balances = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/addresses/{address}/balances:listErc20",
  operationId: "listErc20Balances",
  tag: "EVM: balances",
  summary: "ERC-20 tokens that an address holds, now or after a past block, in order of their contracts.",
  description:
    "Some tokens change balances without a transfer, as rebasing tokens do. Their balances are read from the chain's node, like the native " +
    "balance: 503 if it does not answer. Tokens with a balance of zero, and contracts that turned out not to be tokens, are not listed. If " +
    "there are thousands of them, a page may have fewer items than `pageSize`, or none, but still a token for the next page.",
  cost: "O(pageSize + skipped tokens) rows; after some thousands of them the page ends early",
  computeUnits: 20,
  evm: "chain",
  params: Type.Object({ address: evmAddress("Account or contract") }),
  query: Type.Object({
    ...blockNumberQuery,
    ...pageQuery(500),
    filterSpamTokens: Type.Boolean({ default: true, description: "Leaves out tokens that the operator's token list calls malicious." }),
    contractAddresses: Type.Optional(csv(`Only tokens of these contracts, at most ${MAX_CONTRACTS}.`)),
    ...currencyQuery,
  }),
  response: pageOf({ nativeTokenBalance: nativeTokenBalanceSchema, erc20TokenBalances: Type.Array(erc20TokenBalanceSchema) }),
  async handle({ params, query }, context) {
    const { pageSize, filterSpamTokens: hidesMalicious, currency } = query;
    const holder = parseEvmAddress(params.address);
    const named = query.contractAddresses === undefined ? undefined : parseContracts(query.contractAddresses);
    const { height, isPast } = await heightOf(query.blockNumber, context);
    const source =
      named !== undefined
        ? namedErc20(holder, named, isPast ? height : undefined, context)
        : isPast
          ? pastHoldings(holder, ERC20, height, undefined, context)
          : currentErc20(holder, context);
    const [native, { holdings, ...page }] = await Promise.all([
      nativeTokenBalance(context, holder, height, currency),
      holdingPage(source, { holder, height, pageSize, hidesMalicious }, context),
    ]);
    const tokens = await Tokens.read({ addresses: holdings.map(({ token }) => token) }, context);
    return {
      ...page,
      nativeTokenBalance: native,
      erc20TokenBalances: holdings.map(({ token, balance }) => tokens.erc20Balance(token, balance, currency)),
    };
  },
});

function parseContracts(list: string): Address[] {
  const texts = splitCsv(list);
  if (texts.length > MAX_CONTRACTS) throw badRequest(`contractAddresses must name at most ${MAX_CONTRACTS} contracts, got ${texts.length}`);
  const contracts = new Set(texts.map((text) => parseEvmAddress(text, "contractAddresses")));
  return [...contracts];
}
