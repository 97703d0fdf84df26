import Type from "typebox";
import { dataRoute } from "../../route.ts";
import { blockIdParam, findBlock } from "./find-block.ts";
import { presentBlock } from "./present-block.ts";
import { evmBlockSchema } from "./schemas.ts";

export const getEvmBlock = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/blocks/{blockId}",
  operationId: "getBlock",
  tag: "EVM: blocks",
  summary: "One block of an EVM chain, by its height or its hash.",
  cost: "2 rows",
  computeUnits: 10,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ blockId: blockIdParam }),
  query: Type.Object({}),
  response: evmBlockSchema,
  async handle({ params: { blockId } }, context) {
    const { height, row } = await findBlock(blockId, context);
    return presentBlock(height, row, context.evmChain);
  },
});
