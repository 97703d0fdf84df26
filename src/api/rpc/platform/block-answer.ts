import type { Id } from "../../../base/bytes/id.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import { blockJson, parseBlock } from "../../../chains/platform/block.ts";
import type { RpcContext } from "../method.ts";
import { type Encoding, encodeBytesJson } from "../params.ts";
import { renderOnce } from "../rendered.ts";
import { jsonContext } from "./json-context.ts";

/** The answer of getBlock and getBlockByHeight. */
export function blockAnswer(context: RpcContext, blockId: Id, bytes: Uint8Array, encoding: Encoding): JsonObject {
  if (encoding !== "json") return { block: encodeBytesJson(bytes, encoding), encoding };
  return { block: renderOnce(context, blockId, context.network.hrp, () => blockJson(parseBlock(bytes), jsonContext(context))), encoding };
}
