import Type from "typebox";
import { evmBlocks } from "../../../../evm/index/tables.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { presentBlock } from "./present-block.ts";
import { evmBlockSchema } from "./schemas.ts";

export const listLatestEvmBlocks = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/blocks",
  operationId: "getLatestBlocks",
  tag: "EVM: blocks",
  summary: "Blocks of an EVM chain, newest first.",
  cost: "O(pageSize) rows",
  computeUnits: 10,
  evm: "chain",
  isOfState: true,
  query: Type.Object(pageQuery()),
  response: pageOf({ blocks: Type.Array(evmBlockSchema) }, "ListEvmBlocksResponse"),
  async handle({ query: { pageSize } }, context) {
    const { reader, evmChain, after } = context;
    const rows = await reader.scan(evmBlocks, {
      prefix: { chain: evmChain.chain },
      ...(after && { after: { height: BigInt(after.height!) } }),
      reverse: true,
      limit: pageSize + 1,
    });
    const shown = rows.slice(0, pageSize);
    const blocks = shown.map(({ key, value }) => presentBlock(key.height, value, evmChain));
    return { blocks, ...context.nextPage(rows.length > pageSize ? { height: shown.at(-1)!.key.height } : undefined) };
  },
});
