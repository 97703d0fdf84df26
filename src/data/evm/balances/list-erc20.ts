import Type from "typebox";
import type { Address } from "../../../evm/block.ts";
import { ERC20 } from "../../../evm/facts.ts";
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
    "Balances of tokens that are known to change them without saying so, as rebasing ones do, are read from the chain's node, as the native " +
    "balance is: 503 if it does not answer. Tokens with a balance of zero and contracts that turned out to be no tokens are not listed.",
  cost: "O(pageSize + tokens passed over as spam + tokens that lie); after a past block O(tokens ever held)",
  computeUnits: 20,
  evm: "chain",
  params: Type.Object({ address: evmAddress("Account or contract") }),
  query: Type.Object({
    ...blockNumberQuery,
    ...pageQuery(500),
    filterSpamTokens: Type.Boolean({ default: true, description: "Leaves out what the operator's token list calls malicious." }),
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
  const contracts = new Set(splitCsv(list).map((text) => parseEvmAddress(text, "contractAddresses")));
  if (contracts.size > MAX_CONTRACTS)
    throw badRequest(`contractAddresses must name at most ${MAX_CONTRACTS} contracts, got ${contracts.size}`);
  return [...contracts];
}
