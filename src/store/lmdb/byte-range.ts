/** Turns a scan's prefix and bounds into one half-open range of encoded keys, for both directions. */
import type { Table, TableKey } from "../../primitives/table.ts";
import type { ScanRange } from "../store.ts";
import type { RowCodec } from "./row-codec.ts";

/** `low` is inclusive, `high` is exclusive. */
export interface ByteRange {
  low: Buffer;
  high: Buffer;
}

/** undefined if the range is empty. */
export function byteRange<T extends Table>(codec: RowCodec, range: ScanRange<T>): ByteRange | undefined {
  const prefix = range.prefix ?? {};
  const bound = (partial: Partial<TableKey<T>>): ByteRange => rowsUnder(codec, { ...prefix, ...partial });
  let { low, high } = rowsUnder(codec, prefix);
  const raise = (to: Buffer) => {
    if (Buffer.compare(to, low) > 0) low = to;
  };
  const lower = (to: Buffer) => {
    if (Buffer.compare(to, high) < 0) high = to;
  };
  // In scan direction `from` includes the rows under it, while `after` and `until` exclude theirs, at the start and at the end.
  if (range.reverse) {
    if (range.from) lower(bound(range.from).high);
    if (range.after) lower(bound(range.after).low);
    if (range.until) raise(bound(range.until).high);
  } else {
    if (range.from) raise(bound(range.from).low);
    if (range.after) raise(bound(range.after).high);
    if (range.until) lower(bound(range.until).low);
  }
  return Buffer.compare(low, high) < 0 ? { low, high } : undefined;
}

/** The rows whose keys begin with these columns. */
function rowsUnder(codec: RowCodec, partial: object): ByteRange {
  const low = codec.encodeKey(partial);
  // A whole key may end in text, which is also a prefix of longer texts; its range must contain only that key.
  return { low, high: codec.isWhole(partial) ? Buffer.concat([low, ZERO]) : next(low) };
}

const ZERO = Buffer.from([0]);

/** The smallest bytes above everything that begins with `prefix`. They exist because table IDs are below 0xffff. */
function next(prefix: Buffer): Buffer {
  let length = prefix.length;
  while (prefix[length - 1] === 0xff) length--;
  const above = Buffer.from(prefix.subarray(0, length));
  above[length - 1]! += 1;
  return above;
}
