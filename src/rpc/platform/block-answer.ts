import { blockJson, parseBlock } from "../../platform/block/block.ts";
import type { Id } from "../../primitives/id.ts";
import { BoundedCache } from "../bounded-cache.ts";
import { encodeBytes } from "../byte-encoding.ts";
import type { RpcContext } from "../method.ts";
import type { Encoding } from "../params.ts";
import { type JsonValue, RawJson } from "../raw-json.ts";
import { jsonContext } from "./json-context.ts";

/** Blocks as JSON, by ID: they never change. */
const rendered = new BoundedCache<Buffer>(32 * 1024 * 1024, ({ length }) => length);

/** Answer of getBlock and getBlockByHeight. */
export function blockAnswer(context: RpcContext, blockId: Id, bytes: Uint8Array, encoding: Encoding): JsonValue {
  if (encoding !== "json") return { block: encodeBytes(bytes, encoding), encoding };
  let json = rendered.get(blockId);
  if (json === undefined) {
    json = Buffer.from(blockJson(parseBlock(bytes), jsonContext(context)));
    rendered.set(blockId, json);
  }
  return { block: new RawJson(json), encoding };
}
