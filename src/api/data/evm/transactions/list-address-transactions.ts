import Type from "typebox";
import { pageOf, pageQuery, sortQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { blocksQuery, evmAddress, parseEvmAddress } from "../parameters.ts";
import { placeOf } from "../present-transaction.ts";
import { ratedTransactionDetailsSchema, transactionDetailsSchema } from "../transaction-schemas.ts";
import { addressPage } from "./address-transactions.ts";
import { MOST_ROUNDS, pageWithoutSpam } from "./spam.ts";
import { MOST_PARTS } from "./transaction-parts.ts";

const params = Type.Object({ address: evmAddress("Whose transactions") });
const query = { ...pageQuery(), ...blocksQuery, ...sortQuery };

const definition = {
  method: "GET",
  path: "/chains/{chainId}/addresses/{address}/transactions",
  tag: "EVM: transactions",
  summary: "Transactions that an address took part in, with the transfers and internal transactions from or to it.",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params,
} as const;

const DESCRIPTION =
  `A transaction is listed once if the address sent or received it, or a transfer or an internal transaction in it. Of transfers and internal transactions
those from or to the address are shown, of each kind the first ${MOST_PARTS}; a page ends early where its transactions have more together.`.replaceAll(
    "\n",
    " ",
  );
const COST = "O(pageSize + transfers and internal transactions of the address in these) rows";

export const listAddressTransactions = dataRoute({
  ...definition,
  operationId: "listTransactions",
  description: DESCRIPTION,
  cost: COST,
  query: Type.Object(query),
  response: pageOf({ transactions: Type.Array(transactionDetailsSchema) }, "ListTransactionDetailsResponse"),
  async handle({ params: { address }, query }, context) {
    const { items, next } = await addressPage(parseEvmAddress(address), query, context.after && placeOf(context.after), context);
    return { transactions: items.map(({ details }) => details), ...context.nextPage(next && { ...next }) };
  },
});

export const listAddressTransactionsV2 = dataRoute({
  ...definition,
  version: 2,
  operationId: "listTransactionsV2",
  description: `${DESCRIPTION} ERC-20 tokens have a reputation here.`,
  cost: `${COST}; with \`filterSpamTokens\` up to ${MOST_ROUNDS} times as many`,
  query: Type.Object({
    ...query,
    filterSpamTokens: Type.Optional(
      Type.Boolean({
        description:
          "Leaves out transfers of ERC-20 tokens that the operator's token list calls malicious, and transactions in which the address had no other part. By default they are listed.",
      }),
    ),
  }),
  response: pageOf({ transactions: Type.Array(ratedTransactionDetailsSchema) }),
  async handle({ params, query }, context) {
    const address = parseEvmAddress(params.address);
    const after = context.after && placeOf(context.after);
    const page = query.filterSpamTokens === true ? pageWithoutSpam : addressPage;
    const { items, next } = await page(address, query, after, context);
    return { transactions: items.map(({ details }) => details), ...context.nextPage(next && { ...next }) };
  },
});
