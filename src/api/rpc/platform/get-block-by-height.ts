import { blocks } from "../../../index/tables.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { encoding, integer } from "../params.ts";
import { blockAnswer } from "./block-answer.ts";

export const getBlockByHeight = method({
  name: "platform.getBlockByHeight",
  summary: "A block by its height, as bytes or as JSON.",
  cost: "one row",
  computeUnits: 10,
  params: { height: integer(64), encoding },
  async handler({ height, encoding: as }, context) {
    const block = await context.reader.get(blocks, { chainId: context.chain.chainId, height });
    if (block === undefined) throw new RpcError(`couldn't get block at height ${height}: not found`);
    return blockAnswer(context, block.blockId, block.bytes, as);
  },
});
