/** Hands encoded rows to LMDB. */
import { type EncodedRows, REMOVED } from "../encoded-rows.ts";

/**
 * LMDB takes a value as the part of a larger buffer between these two positions, which it reads when it is given the value. It keeps the
 * buffer until it has written the value.
 */
type PartOfBuffer = Uint8Array & { start: number; end: number };

/** a reusable buffer per key length: LMDB copies a key when it is given one */
const keys = new Map<number, Buffer>();

/** Calls back in order. The arguments are valid only during the call. @param isMarked whether values are written with their marks */
export function writeRows(
  { bytes, start, ends }: EncodedRows,
  isMarked: boolean,
  put: (key: Buffer, value: Uint8Array) => void,
  remove: (key: Buffer) => void,
): void {
  const part: PartOfBuffer = Object.assign(bytes.subarray(), { start: 0, end: 0 });
  // LMDB counts from the start of the memory block
  const valueOffset = bytes.byteOffset + (isMarked ? 0 : 1);
  let at = start;
  for (let row = 0; row < ends.length; row += 2) {
    const keyEnd = ends[row]!;
    const valueEnd = ends[row + 1]!;
    const key = keyOf(bytes, at, keyEnd);
    at = keyEnd;
    if (valueEnd === REMOVED) {
      remove(key);
      continue;
    }
    part.start = valueOffset + keyEnd;
    part.end = bytes.byteOffset + valueEnd;
    put(key, part);
    at = valueEnd;
  }
}

function keyOf(bytes: Uint8Array, from: number, to: number): Buffer {
  const length = to - from;
  let key = keys.get(length);
  if (key === undefined) {
    key = Buffer.allocUnsafeSlow(length);
    keys.set(length, key);
  }
  for (let at = 0; at < length; at++) key[at] = bytes[from + at]!;
  return key;
}
