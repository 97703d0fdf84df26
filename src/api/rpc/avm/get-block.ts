/** `avm.getBlock` and `avm.getBlockByHeight`: blocks of the chain itself, without their proposervm wrapper. */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import type { Awaitable } from "../../../base/work/awaitable.ts";
import { blockHeights, blocks } from "../../../index/tables.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { type Encoding, encodeBytesJson, encoding, id, integer } from "../params.ts";
import { renderOnce } from "../rendered.ts";
import { chainCodec, jsonContext } from "./chain.ts";

export const getBlock = method({
  name: "avm.getBlock",
  summary: "A block by its ID, as bytes or as JSON.",
  cost: "two rows",
  computeUnits: 10,
  params: { blockID: id, encoding },
  async handler({ blockID, encoding: as }, context) {
    const row = await context.reader.get(blockHeights, { chainId: context.chain.chainId, blockId: blockID });
    const block = row && (await readBlock(context, row.height));
    if (block === undefined) throw new RpcError(`couldn't get block with id ${formatId(blockID)}: not found`);
    return blockReply(context, block, as);
  },
});

export const getBlockByHeight = method({
  name: "avm.getBlockByHeight",
  summary: "A block by its height, as bytes or as JSON.",
  cost: "one row",
  computeUnits: 10,
  params: { height: integer(64), encoding },
  async handler({ height, encoding: as }, context) {
    const block = await readBlock(context, height);
    if (block === undefined) throw new RpcError(`couldn't get block at height ${height}: not found`);
    return blockReply(context, block, as);
  },
});

interface StoredBlock {
  readonly blockId: Id;
  readonly bytes: Uint8Array;
}

function readBlock({ reader, chain: { chainId } }: RpcContext, height: bigint): Awaitable<StoredBlock | undefined> {
  return reader.get(blocks, { chainId, height });
}

async function blockReply(context: RpcContext, { blockId, bytes }: StoredBlock, as: Encoding): Promise<JsonObject> {
  if (as !== "json") return { block: encodeBytesJson(bytes, as), encoding: as };
  const codec = await chainCodec(context);
  const block = renderOnce(context, blockId, context.chain.alias, () => codec.blockJson(codec.parseBlock(bytes), jsonContext(context)));
  return { block, encoding: as };
}
