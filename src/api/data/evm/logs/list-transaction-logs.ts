import Type from "typebox";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { findTransaction, txHashParam } from "../transactions/find-transaction.ts";
import { MOST_PAGE_DATA, presentLogs, readTransactionLogs } from "./log-pages.ts";
import { firstBlockWithLogs, lacksLogs } from "./log-range.ts";
import { eventLogSchema } from "./log-schemas.ts";

export const listTransactionLogs = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/transactions/{txHash}/logs",
  operationId: "listTransactionLogs",
  tag: "EVM: logs",
  summary: "Event logs of a transaction, in their order.",
  description: `A page ends early once its logs have more than ${MOST_PAGE_DATA} bytes of data.`,
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ txHash: txHashParam }),
  query: Type.Object({ ...pageQuery() }),
  response: pageOf({ logs: Type.Array(eventLogSchema) }),
  async handle({ params: { txHash }, query: { pageSize } }, context) {
    const place = await findTransaction(txHash, context);
    const first = await firstBlockWithLogs(context);
    if (place.height < first) throw lacksLogs(context.evmChain, `before block ${first}`);
    const { logs, next } = await readTransactionLogs(place, { pageSize, after: context.after }, context);
    return { logs: await presentLogs(logs, context), ...context.nextPage(next) };
  },
});
