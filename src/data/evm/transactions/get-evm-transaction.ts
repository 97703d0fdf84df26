import Type from "typebox";
import { evmTransactionHashes } from "../../../evm/index/tables.ts";
import { badRequest, notFound } from "../../errors.ts";
import { shown } from "../../ids.ts";
import { dataRoute } from "../../route.ts";
import { completeTransactionSchema } from "../transaction-schemas.ts";
import { completeTransaction } from "./complete-transaction.ts";
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
  params: Type.Object({ txHash: Type.String({ minLength: 1, description: "Hash: 0x and 64 hex digits" }) }),
  query: Type.Object({}),
  response: completeTransactionSchema,
  async handle({ params: { txHash } }, context) {
    if (!/^0x[0-9a-fA-F]{64}$/.test(txHash)) throw badRequest(`txHash must be 0x and 64 hex digits, got ${shown(txHash)}`);
    const { chain, evmChainId } = context.evmChain;
    const place = await context.reader.get(evmTransactionHashes, { chain, hash: txHash.slice(2).toLowerCase() });
    if (place === undefined) throw notFound(`chain ${evmChainId} has no transaction ${txHash} here`);
    return completeTransaction(place, "usd", context);
  },
});
