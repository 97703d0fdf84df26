import Type from "typebox";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { placeOf, presentTransactions } from "../present-transaction.ts";
import { nativeTransactionSchema } from "../transaction-schemas.ts";
import { readLatestTransactions, statusQuery } from "./latest-transactions.ts";

export const listLatestEvmTransactions = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/transactions",
  operationId: "listLatestTransactions",
  tag: "EVM: transactions",
  summary: "Transactions of an EVM chain, newest first.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  query: Type.Object({ ...pageQuery(), ...statusQuery }),
  response: pageOf({ transactions: Type.Array(nativeTransactionSchema) }, "ListNativeTransactionsResponse"),
  async handle({ query: { pageSize, status } }, context) {
    const start = context.after === undefined ? {} : { after: placeOf(context.after) };
    const found = await readLatestTransactions(status, context, start, pageSize + 1);
    const transactions = found.slice(0, pageSize);
    return {
      transactions: await presentTransactions(transactions, context),
      ...context.nextPage(found.length > pageSize ? { ...transactions.at(-1)!.place } : undefined),
    };
  },
});
