/**
 * Encoded rows of a commit in one piece of memory: a buffer for each key and value would cost more than writing it. They can be made on
 * another thread and handed over.
 */
import { Writer } from "../base/codec/reader.ts";
import type { Change, Table, TableKey, TableValue } from "../base/table/table.ts";
import { rowCodec } from "./lmdb/row-codec.ts";

/** Rows in the order in which they are written. Between a key and its value is the byte VALUE_MARK, which layers of a store keep. */
export interface EncodedRows {
  readonly bytes: Uint8Array;
  /** where the first key begins */
  readonly start: number;
  /** for each row, where its key ends and where its value ends, or REMOVED; a key begins where the row before it ends */
  readonly ends: ArrayLike<number>;
}

/** marks a row that is removed */
export const REMOVED = -1;
export const VALUE_MARK = 1;
const EXPECTED_ROW_BYTES = 128;

export class RowEncoder {
  readonly #writer: Writer;
  readonly #ends: number[] = [];

  constructor(expectedRows: number) {
    this.#writer = new Writer(expectedRows * EXPECTED_ROW_BYTES);
  }

  /** @param value undefined: the row is removed */
  add<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T> | undefined): void {
    const codec = rowCodec(table);
    codec.writeKey(this.#writer, key);
    this.#ends.push(this.#writer.length);
    if (value === undefined) {
      this.#ends.push(REMOVED);
      return;
    }
    this.#writer.u8(VALUE_MARK);
    codec.writeValue(this.#writer, value);
    this.#ends.push(this.#writer.length);
  }

  /** number of rows so far */
  get rows(): number {
    return this.#ends.length / 2;
  }

  get byteLength(): number {
    return this.#writer.length;
  }

  get ends(): readonly number[] {
    return this.#ends;
  }

  /** The encoder must not be used afterwards. */
  finish(): EncodedRows {
    return { bytes: this.#writer.view(), start: 0, ends: this.#ends };
  }
}

export function encodeRows(changes: readonly Change[]): EncodedRows {
  const encoder = new RowEncoder(changes.length);
  for (const { table, key, value } of changes) encoder.add(table, key, value);
  return encoder.finish();
}

export function rowCount({ ends }: EncodedRows): number {
  return ends.length / 2;
}

/** bytes of keys, values and their marks */
export function rowBytes({ start, ends }: EncodedRows): number {
  const last = ends[ends.length - 1];
  if (last === undefined) return 0;
  return (last === REMOVED ? ends[ends.length - 2]! : last) - start;
}
