import { formatId } from "../../../base/bytes/cb58.ts";
import { blockHeights, blocks } from "../../../index/tables.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { encoding, id } from "../params.ts";
import { blockAnswer } from "./block-answer.ts";

export const getBlock = method({
  name: "platform.getBlock",
  summary: "A block by its ID, as bytes or as JSON.",
  cost: "two rows",
  computeUnits: 10,
  params: { blockID: id, encoding },
  async handler({ blockID: blockId, encoding: as }, context) {
    const { chainId } = context.chain;
    const at = await context.reader.get(blockHeights, { chainId, blockId });
    const block = at && (await context.reader.get(blocks, { chainId, height: at.height }));
    if (block === undefined) throw new RpcError(`couldn't get block with id ${formatId(blockId)}: not found`);
    return blockAnswer(context, blockId, block.bytes, as);
  },
});
