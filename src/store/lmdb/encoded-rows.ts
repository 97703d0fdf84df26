/** Encodes the rows of a commit for LMDB into one piece of memory: a buffer for each key and value would cost more than writing it. */
import { Writer } from "../../primitives/codec/writer.ts";
import type { Change } from "../../primitives/table.ts";
import { rowCodec } from "./row-codec.ts";

const EXPECTED_ROW_BYTES = 128;
/** marks a row that is removed */
const REMOVED = -1;

/**
 * LMDB takes a value as the part of a larger buffer between these two positions, which it reads when it is given the value. It keeps the
 * buffer until it has written the value.
 */
type PartOfBuffer = Buffer & { start: number; end: number };

export class EncodedRows {
  readonly #bytes: PartOfBuffer;
  /** for each row, where its key ends and where its value ends, or REMOVED */
  readonly #ends: number[] = [];
  /** a reusable buffer per key length: LMDB copies a key when it is given one */
  readonly #keys = new Map<number, Buffer>();

  constructor(changes: readonly Change[]) {
    const writer = new Writer(changes.length * EXPECTED_ROW_BYTES);
    for (const { table, key, value } of changes) {
      const codec = rowCodec(table);
      codec.writeKey(writer, key);
      this.#ends.push(writer.length);
      if (value !== undefined) codec.writeValue(writer, value);
      this.#ends.push(value === undefined ? REMOVED : writer.length);
    }
    this.#bytes = Object.assign(writer.view(), { start: 0, end: 0 });
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  /** Calls back in order. The arguments are valid only during the call. */
  each(put: (key: Buffer, value: Buffer) => void, remove: (key: Buffer) => void): void {
    const bytes = this.#bytes;
    let at = 0;
    for (let row = 0; row < this.#ends.length; row += 2) {
      const keyEnd = this.#ends[row]!;
      const valueEnd = this.#ends[row + 1]!;
      const key = this.#key(at, keyEnd);
      at = keyEnd;
      if (valueEnd === REMOVED) {
        remove(key);
        continue;
      }
      // LMDB counts from the start of the memory block
      bytes.start = bytes.byteOffset + keyEnd;
      bytes.end = bytes.byteOffset + valueEnd;
      put(key, bytes);
      at = valueEnd;
    }
  }

  #key(from: number, to: number): Buffer {
    const length = to - from;
    let key = this.#keys.get(length);
    if (key === undefined) {
      key = Buffer.allocUnsafeSlow(length);
      this.#keys.set(length, key);
    }
    for (let at = 0; at < length; at++) key[at] = this.#bytes[from + at]!;
    return key;
  }
}
