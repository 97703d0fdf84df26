import Type from "typebox";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { pageOf, pageQuery, sortQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { blocksQuery, evmAddress, parseEvmAddress } from "../parameters.ts";
import { type EvmReading, formatAddress } from "../present-token.ts";
import { placeOf, type TransactionPlace } from "../present-transaction.ts";
import { ratedTransactionDetailsSchema, type TransactionDetails, transactionDetailsSchema } from "../transaction-schemas.ts";
import { type AddressPage, type AddressQuery, addressPage } from "./address-transactions.ts";
import { MOST_PARTS } from "./transaction-parts.ts";

// Lists the transactions of an address without those that the operator calls malicious.

/** Number of times that a page reads further to fill the gaps. Then it ends early. */
const MOST_ROUNDS = 10;

async function pageWithoutSpam(
  address: Address,
  query: AddressQuery,
  after: TransactionPlace | undefined,
  reading: EvmReading,
): Promise<AddressPage> {
  const shown = formatAddress(address);
  const items: AddressPage["items"][number][] = [];
  let next = after;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    // one more than a page shows whether there is another page
    const page = await addressPage(address, { ...query, pageSize: query.pageSize + 1 }, next, reading);
    for (const { place, details } of page.items) {
      const kept = withoutSpam(details, shown);
      if (kept === undefined) continue;
      if (items.length === query.pageSize) return { items, next: items.at(-1)!.place };
      items.push({ place, details: kept });
    }
    next = page.next;
    if (next === undefined) break;
  }
  return { items, next };
}

/** undefined if only spam is left of the address's part */
function withoutSpam(details: TransactionDetails, address: string): TransactionDetails | undefined {
  const { erc20Transfers, ...others } = details;
  const benign = erc20Transfers?.filter(({ erc20Token }) => erc20Token.tokenReputation !== "Malicious") ?? [];
  const { from, to } = details.nativeTransaction;
  const isParty = from.address === address || to.address === address || Object.keys(others).length > 1;
  if (benign.length === 0 && !isParty) return undefined;
  return { ...others, ...(benign.length > 0 && { erc20Transfers: benign }) };
}

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
  `A transaction is listed once if the address sent or received it, or a transfer or an internal transaction in it. For transfers and internal transactions
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
