import Type from "typebox";
import { assets } from "../../../chains/asset/tables.ts";
import { X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { notFound } from "../errors.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { chainInfo, chainInfoSchema } from "../network-labels.ts";
import { pageOf, pageQuery, timeQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { X_CHAIN_NUMBER } from "../transactions/asset.ts";
import { assetTransactionSchema, txTypesQuery } from "../transactions/schemas.ts";
import { transactionPage } from "../transactions/transaction-lists.ts";
import { classesOf, type TxTypeName } from "../transactions/type-names.ts";

export const listAssetTransactions = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/assets/{assetId}/transactions",
  operationId: "listAssetTransactions",
  tag: "Primary network: assets",
  summary: "Transactions of the X-chain that consume or emit an asset, newest first.",
  description: "A page may end early, after many UTXOs. Only a page without a token is the last one.",
  cost: "O(pageSize) rows for the list, and as many as its transactions have UTXOs, at most some thousands",
  computeUnits: 100,
  chains: [X_CHAIN],
  params: Type.Object({ assetId: cb58Id("ID of the asset") }),
  query: Type.Object({ ...pageQuery(), ...timeQuery, txTypes: txTypesQuery }),
  response: pageOf({ transactions: Type.Array(assetTransactionSchema), chainInfo: chainInfoSchema }, "ListXChainTransactionsResponse"),
  async handle({ params, query }, context) {
    const assetId = parseIdParam("assetId", params.assetId);
    const asset = await context.reader.get(assets, { chain: X_CHAIN_NUMBER, assetId });
    if (asset === undefined) throw notFound(`the x-chain has no asset ${params.assetId}`);
    const { txTypes } = query;
    const filter = { assetId, ...(txTypes !== undefined && { classes: classesOf(txTypes as TxTypeName[]) }) };
    return { ...(await transactionPage(X_CHAIN, filter, query, context)), chainInfo: chainInfo(context) };
  },
});
