import Type from "typebox";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { notFound } from "../errors.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { chainNameOf } from "../network-labels.ts";
import { dataRoute } from "../route.ts";
import { presentTransactions } from "./present.ts";
import { transactionSchema } from "./schemas.ts";

export const getTransaction = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/transactions/{txHash}",
  operationId: "getTxByHash",
  tag: "Primary network: transactions",
  summary: "One transaction. Its emitted UTXOs are all outputs that can be spent later, including paid rewards.",
  description: "On the C-chain this is an import or export, by its cb58 ID.",
  cost: "As many rows as the transaction has UTXOs, and a few",
  computeUnits: 20,
  chains: [P_CHAIN, X_CHAIN, C_CHAIN],
  params: Type.Object({ txHash: cb58Id("ID of the transaction") }),
  query: Type.Object({}),
  response: transactionSchema,
  async handle({ params: { txHash } }, context) {
    const [transaction] = await presentTransactions(context.chain, [{ txId: parseIdParam("txHash", txHash) }], context);
    if (transaction === undefined) throw notFound(`the ${chainNameOf(context.chain)} has no transaction ${txHash}`);
    return transaction;
  },
});
