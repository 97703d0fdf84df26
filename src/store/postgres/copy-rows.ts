/** Encoded rows as binary COPY takes them, without making objects of them. */
import { Reader } from "../../base/codec/reader.ts";
import { Writer } from "../../base/codec/writer.ts";
import type { SqlColumns } from "./columns.ts";
import type { EncodedRow } from "./row-groups.ts";

const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const END = 0xff_ff;
const CHUNK_BYTES = 256 * 1024;
/** A key begins with its table's ID. */
const ID_BYTES = 2;

export function* copyChunks({ key, value }: SqlColumns, rows: readonly EncodedRow[]): Generator<Buffer> {
  const writer = new Writer(2 * CHUNK_BYTES);
  writer.raw(HEADER);
  for (const { source, start, keyEnd, end } of rows) {
    writer.u16(key.length + value.length);
    const ofKey = new Reader(source, start + ID_BYTES, keyEnd);
    for (const column of key) column.copy(writer, ofKey);
    const ofValue = new Reader(source, keyEnd + 1, end);
    for (const column of value) column.copy(writer, ofValue);
    if (writer.length < CHUNK_BYTES) continue;
    yield writer.finish();
    writer.clear();
  }
  writer.u16(END);
  yield writer.finish();
}
