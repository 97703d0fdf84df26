import Type from "typebox";
import { dataRoute } from "../../route.ts";
import { completeTransactionSchema } from "../transaction-schemas.ts";
import { completeTransaction } from "./complete-transaction.ts";
import { findTransaction, txHashParam } from "./find-transaction.ts";
import { MOST_PARTS } from "./transaction-parts.ts";

export const getEvmTransaction = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/transactions/{txHash}",
  operationId: "getTransaction",
  tag: "EVM: transactions",
  summary: "One transaction with its transfers and internal transactions.",
  description: `Shows the first ${MOST_PARTS} of its transfers, and the first ${MOST_PARTS} of its internal transactions.`,
  cost: "O(transfers and internal transactions of the transaction) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ txHash: txHashParam }),
  query: Type.Object({}),
  response: completeTransactionSchema,
  async handle({ params: { txHash } }, context) {
    return completeTransaction(await findTransaction(txHash, context), "usd", context);
  },
});
