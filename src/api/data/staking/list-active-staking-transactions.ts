import Type from "typebox";
import { mergedScan } from "../../../index/merged-scan.ts";
import { P_CHAIN } from "../../../index/primary/primary-chain.ts";
import { stakingListScope } from "../../../index/primary/staking/staking-scope.ts";
import { stakingLists } from "../../../index/primary/staking/staking-tables.ts";
import { stakingClasses } from "../../../index/primary/transactions/transaction-classes.ts";
import { transactionsAt } from "../../../index/primary/transactions/transaction-order.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import { chainInfo, chainInfoSchema } from "../network-labels.ts";
import { csv, pageOf, pageQuery, sortQuery, timeQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { presentTransactions } from "../transactions/present.ts";
import { platformTransactionSchema, txTypesQuery } from "../transactions/schemas.ts";
import { timeBounds } from "../transactions/transaction-lists.ts";
import { classesOf, type TxTypeName } from "../transactions/type-names.ts";

export const listActiveStakingTransactions = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/transactions:listStaking",
  operationId: "listActivePrimaryNetworkStakingTransactions",
  tag: "Primary network: transactions",
  summary: "Staking transactions whose staker is active or pending.",
  description:
    "Lists those of the whole chain, or of addresses that own their UTXOs, newest first. A page may end early, after many UTXOs; only a page " +
    "without a token is the last one.",
  cost:
    "O(pageSize + addresses × types) rows for the list, where a transaction counts once for each of the addresses that it names; and as many " +
    "as its transactions have UTXOs, at most some thousands",
  computeUnits: 100,
  chains: [P_CHAIN],
  query: Type.Object({
    ...pageQuery(),
    ...sortQuery,
    ...timeQuery,
    addresses: Type.Optional(csv("Owners of UTXOs that the transaction consumes or emits, at most 64. By default the whole chain.")),
    txTypes: txTypesQuery,
  }),
  response: pageOf({ transactions: Type.Array(platformTransactionSchema), chainInfo: chainInfoSchema }, "ListPChainTransactionsResponse"),
  async handle({ query: { pageSize, sortOrder, addresses, txTypes, startTimestamp, endTimestamp } }, context) {
    const types =
      txTypes === undefined ? stakingClasses : classesOf(txTypes as TxTypeName[]).filter((type) => stakingClasses.includes(type));
    const owners = addresses === undefined ? [undefined] : parseAddresses(addresses, context, { max: MAX_ADDRESSES_GET });
    const { after, settings } = context;
    const reverse = sortOrder === "desc";
    const bounds = timeBounds(startTimestamp, endTimestamp, { reverse });
    const rows = await mergedScan(context.reader, stakingLists, {
      prefixes: types.flatMap((type) => owners.map((owner) => ({ scope: stakingListScope(type, owner) }))),
      ...bounds,
      ...(after && { after: { timestamp: BigInt(after.timestamp!), ordinal: BigInt(after.ordinal!) } }),
      reverse,
      limit: bounds === undefined ? 0 : pageSize + 1,
    });
    const places = rows.slice(0, pageSize).map(({ key: { timestamp, ordinal } }) => ({ timestamp, ordinal }));
    const shown = await transactionsAt(context.reader, P_CHAIN, places);
    const transactions = await presentTransactions(P_CHAIN, shown, context, { maxUtxos: settings.pageUtxos });
    const last = rows.length > transactions.length ? rows[transactions.length - 1]?.key : undefined;
    return {
      ...context.nextPage(last && { timestamp: last.timestamp, ordinal: last.ordinal }),
      transactions,
      chainInfo: chainInfo(context),
    };
  },
});
