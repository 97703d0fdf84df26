/** Encodes shared-memory operations for rows of `ingest_log`. */

import { bytes, decodeAll, encodeAll, list, union, variant } from "../base/codec/codec.ts";
import { id, shortId } from "../base/table/table.ts";
import type { SharedMemoryOperation } from "../sources/source.ts";

const put = variant("put", { peerId: id, key: id, bytes, traits: list(shortId) });
const remove = variant("remove", { peerId: id, key: id });
const operation = union({ 0: put, 1: remove }, new Set([0, 1]));

export function encodeOperation(value: SharedMemoryOperation): Buffer {
  return encodeAll(operation, value.kind === "put" ? { ...value, traits: [...value.traits] } : value);
}

export function decodeOperation(encoded: Uint8Array): SharedMemoryOperation {
  return decodeAll(operation, encoded);
}
