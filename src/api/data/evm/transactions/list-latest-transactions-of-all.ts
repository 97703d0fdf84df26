import Type from "typebox";
import type { DataContext } from "../../context.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { type ItemOfChain, isOfNetwork, latestPage, networkQuery } from "../latest-of-all.ts";
import { type LoadedTransaction, presentTransactions } from "../present-transaction.ts";
import { type NativeTransaction, nativeTransactionSchema } from "../transaction-schemas.ts";
import { readLatestTransactions, statusQuery } from "./latest-transactions.ts";

export const listLatestTransactionsAllChains = transactionsOfAll({
  path: "/transactions",
  operationId: "listLatestTransactionsAllChains",
});

/** the same route under the path of older clients */
export const listAllLatestTransactions = transactionsOfAll({
  path: "/chains/allTransactions",
  operationId: "listAllLatestTransactions",
});

function transactionsOfAll(names: { readonly path: string; readonly operationId: string }) {
  return dataRoute({
    ...names,
    method: "GET",
    tag: "EVM: transactions",
    summary: "Transactions of all EVM chains of this server, newest first.",
    description: "Leaves out chains that are not indexed yet, or whose index is older than the operator allows.",
    cost: "O(pageSize + chains) rows, and after the first page O(log blocks) for each chain",
    computeUnits: 20,
    evm: "all",
    isOfState: true,
    query: Type.Object({ ...pageQuery(), ...networkQuery, ...statusQuery }),
    response: pageOf({ transactions: Type.Array(nativeTransactionSchema) }, "ListNativeTransactionsResponse"),
    async handle({ query: { pageSize, network, status } }, context) {
      const chains = context.evmChains.filter((chain) => isOfNetwork(chain, network));
      const { items, ...page } = await latestPage(
        chains,
        async (reading, start, limit) => {
          const found = await readLatestTransactions(status, reading, start, limit);
          return found.map((transaction) => ({ ...transaction, timestamp: transaction.block.timestamp }));
        },
        pageSize,
        context,
      );
      return { transactions: await presentEach(items, context), ...page };
    },
  });
}

/** In the order of the items. The tokens of each chain are read at once. */
async function presentEach(items: readonly ItemOfChain<LoadedTransaction>[], { reader }: DataContext): Promise<NativeTransaction[]> {
  const chains = [...new Set(items.map(({ evmChain }) => evmChain))];
  const shown = new Map<LoadedTransaction, NativeTransaction>();
  for (const evmChain of chains) {
    const own = items.filter((item) => item.evmChain === evmChain).map(({ item }) => item);
    const presented = await presentTransactions(own, { reader, evmChain });
    for (const [i, transaction] of own.entries()) shown.set(transaction, presented[i]!);
  }
  return items.map(({ item }) => shown.get(item)!);
}
