/** `sharedmemory.jsonl` of an archive whose store lacks the blocks of a chain: what that chain did to the memory that it shares with others. */

import { formatId } from "../../base/bytes/cb58.ts";
import { encodeHexPlain } from "../../base/bytes/hex.ts";
import type { Id } from "../../base/bytes/id.ts";
import { ingestLog, LOG_BLOCK, LOG_SHARED_MEMORY } from "../../index/tables.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";
import { decodeOperation } from "../shared-memory-log.ts";

/** @param names short names of the chains */
export async function* sharedMemoryLines(reader: StoreReader, names: ReadonlyMap<Id, string>): AsyncGenerator<string> {
  const heights = new Map<Id, number>();
  for await (const { value } of scanAll(reader, ingestLog)) {
    const { kind, chainId, ref } = value;
    if (kind === LOG_BLOCK) heights.set(chainId, Number(Buffer.from(ref).readBigUInt64BE()));
    if (kind !== LOG_SHARED_MEMORY) continue;
    const operation = decodeOperation(ref);
    const { peerId, key } = operation;
    const place = { by: names.get(chainId), peer: names.get(peerId), afterHeight: heights.get(peerId) ?? 0 };
    const content =
      operation.kind === "put" ? { op: "put", value: encodeHexPlain(operation.bytes), traits: operation.traits } : { op: "remove" };
    yield `${JSON.stringify({ ...place, ...content, key: formatId(key) })}\n`;
  }
}
