/** Turns a scan's prefix and bounds into one half-open range of encoded keys, whatever the direction. */
import type { Table, TableKey } from "../../primitives/table.ts";
import type { ScanRange } from "../store.ts";
import type { RowCodec } from "./row-codec.ts";

/** `low` is inside, `high` is outside. */
export interface ByteRange {
  low: Buffer;
  high: Buffer;
}

/** undefined if no key can be inside. */
export function byteRange<T extends Table>(codec: RowCodec, range: ScanRange<T>): ByteRange | undefined {
  const prefix = range.prefix ?? {};
  const bound = (partial: Partial<TableKey<T>>): ByteRange => rowsUnder(codec, { ...prefix, ...partial });
  let { low, high } = bound({});
  const raise = (to: Buffer) => {
    if (Buffer.compare(to, low) > 0) low = to;
  };
  const lower = (to: Buffer) => {
    if (Buffer.compare(to, high) < 0) high = to;
  };
  // In scan direction `from` lets the rows under it in; `after` and `until` keep theirs out, at the beginning and at the end.
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
  // A whole key may end in text, of which longer texts are no part: its range holds that one key.
  return { low, high: codec.isWhole(partial) ? Buffer.concat([low, ZERO]) : next(low) };
}

const ZERO = Buffer.from([0]);

/** The smallest bytes above everything that begins with `prefix`. Table IDs are below 0xffff, so there always is one. */
function next(prefix: Buffer): Buffer {
  let length = prefix.length;
  while (prefix[length - 1] === 0xff) length--;
  const above = Buffer.from(prefix.subarray(0, length));
  above[length - 1]! += 1;
  return above;
}
