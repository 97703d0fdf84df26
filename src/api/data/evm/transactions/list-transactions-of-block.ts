import Type from "typebox";
import { evmTransactions } from "../../../../evm/index/tables.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { blockIdParam, findBlock } from "../blocks/find-block.ts";
import { presentTransactions } from "../present-transaction.ts";
import { nativeTransactionSchema } from "../transaction-schemas.ts";

export const listTransactionsOfBlock = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/blocks/{blockId}/transactions",
  operationId: "getTransactionsForBlock",
  tag: "EVM: transactions",
  summary: "Transactions of a block, in the block's order.",
  description: "With `pageSize` 0, the default, one page has all of them.",
  cost: "O(pageSize) rows, or as many as the block has transactions",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ blockId: blockIdParam }),
  query: Type.Object({
    pageToken: pageQuery().pageToken,
    pageSize: Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 0,
      description: "Maximum number of items in a page, up to 100; 0: all in one page.",
    }),
  }),
  response: pageOf({ transactions: Type.Array(nativeTransactionSchema) }, "ListNativeTransactionsResponse"),
  async handle({ params: { blockId }, query: { pageSize } }, context) {
    const { reader, evmChain, after } = context;
    const { height, row: block } = await findBlock(blockId, context);
    const size = pageSize === 0 ? block.txCount : pageSize;
    const rows = await reader.scan(evmTransactions, {
      prefix: { chain: evmChain.chain, height },
      ...(after && { after: { index: Number(after.index) } }),
      limit: size + 1,
    });
    const found = rows.slice(0, size).map(({ key: { index }, value: row }) => ({ place: { height, index }, row, block }));
    return {
      transactions: await presentTransactions(found, context),
      ...context.nextPage(rows.length > size ? { index: found.at(-1)!.place.index } : undefined),
    };
  },
});
