/** Turns a scan's prefix and bounds into one half-open range of encoded keys, for both directions. */
import type { Table } from "../../base/table/table.ts";
import type { ScanRange } from "../store.ts";
import type { RowCodec } from "./row-codec.ts";

/** `low` is inclusive, `high` is exclusive. */
export interface ByteRange {
  readonly low: Buffer;
  readonly high: Buffer;
}

/** undefined if the range is empty. Bounds name columns after the prefix; the prefix counts where both name one. */
export function byteRange<T extends Table>(codec: RowCodec, range: ScanRange<T>): ByteRange | undefined {
  const { prefix = {}, from, after, until, reverse } = range;
  // In scan direction `from` includes the rows under it, while `after` and `until` exclude theirs, at the start and at the end.
  const low = reverse
    ? until && codec.above(prefix, until)
    : later(1, from && codec.lowest(prefix, from), after && codec.above(prefix, after));
  const high = reverse
    ? later(-1, from && codec.above(prefix, from), after && codec.lowest(prefix, after))
    : until && codec.lowest(prefix, until);
  const bounds = { low: low ?? codec.lowest(prefix), high: high ?? codec.above(prefix) };
  return Buffer.compare(bounds.low, bounds.high) < 0 ? bounds : undefined;
}

/** The one of two starts that comes later in the direction of the scan. */
function later(direction: 1 | -1, from: Buffer | undefined, after: Buffer | undefined): Buffer | undefined {
  if (from === undefined || after === undefined) return from ?? after;
  return Buffer.compare(from, after) === direction ? from : after;
}
