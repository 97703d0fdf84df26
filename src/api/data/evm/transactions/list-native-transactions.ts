import Type from "typebox";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { blockBounds, blocksQuery, evmAddress, parseEvmAddress } from "../parameters.ts";
import { placeOf, presentTransactions, readTransactions } from "../present-transaction.ts";
import { nativeTransactionSchema } from "../transaction-schemas.ts";
import { scanAddressTransactions } from "./address-transactions.ts";

export const listNativeTransactions = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/addresses/{address}/transactions:listNative",
  operationId: "listNativeTransactions",
  tag: "EVM: transactions",
  summary: "Transactions that an address sent or received itself, newest first.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Whose transactions") }),
  query: Type.Object({ ...pageQuery(), ...blocksQuery }),
  response: pageOf({ transactions: Type.Array(nativeTransactionSchema) }, "ListNativeTransactionsResponse"),
  async handle({ params, query: { pageSize, ...blocks } }, context) {
    const address = parseEvmAddress(params.address);
    const bounds = blockBounds(blocks, { reverse: true });
    if (bounds === undefined) return { transactions: [] };
    const scan = { bounds, after: context.after && placeOf(context.after), reverse: true, limit: pageSize + 1 };
    const found = await scanAddressTransactions(address, { hasPart: false }, scan, context);
    const transactions = await readTransactions(found.slice(0, pageSize), context);
    return {
      transactions: await presentTransactions(transactions, context),
      ...context.nextPage(found.length > pageSize ? { ...transactions.at(-1)!.place } : undefined),
    };
  },
});
