/**
 * Converts a table's rows to LMDB entries; compiled once per table.
 *
 * key   = u16 table ID ++ key columns, fixed width and big-endian, so that bytes sort like columns; text only as the last column
 * value = value columns in order, each with its own codec
 */

import { type Codec, struct } from "../../base/codec/codec.ts";
import { Reader, Writer } from "../../base/codec/reader.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { Row, Table, TableKey, TableValue } from "../../base/table/table.ts";

/** LMDB's own limit at a page size of 4096 bytes. */
export const MAX_KEY_BYTES = 1978;

export interface RowCodec {
  /** Encodes a whole key, or leading columns: the common prefix of all keys with these columns. */
  encodeKey(key: object): Buffer;
  /** The same bytes, valid until the next call. */
  keyView(key: object): Uint8Array;
  /** Appends the same bytes to the writer. */
  writeKey(writer: Writer, key: object): void;
  writeValue(writer: Writer, value: object): void;
  /** The smallest key of the rows whose keys begin with these columns: those of `prefix`, then those of `rest`. */
  lowest(prefix: object, rest?: object): Buffer;
  /** The smallest key above all of these rows. */
  above(prefix: object, rest?: object): Buffer;
  decodeKey(encoded: Uint8Array): object;
  /** Valid until the next call; the store copies it. */
  encodeValue(value: object): Uint8Array;
  /** Byte-string columns keep views of `stored`, so the caller must not reuse it. */
  decodeValue(stored: Uint8Array): object;
}

const codecs = new WeakMap<Table, RowCodec>();

export function rowCodec(table: Table): RowCodec {
  let codec = codecs.get(table);
  if (codec === undefined) {
    codec = compile(table);
    codecs.set(table, codec);
  }
  return codec;
}

export function decodeRow<T extends Table>(codec: RowCodec, key: Uint8Array, value: Uint8Array): Row<T> {
  return { key: codec.decodeKey(key) as TableKey<T>, value: codec.decodeValue(value) as TableValue<T> };
}

function compile(table: Table): RowCodec {
  const keyColumns = Object.entries(table.key).map(([name, codec]) => keyColumn(name, codec));
  const valueColumns = struct(table.value) as Codec<Record<string, unknown>>;
  const scratch = new Writer(4096);
  const writeWhole = compileKey(table, keyColumns);
  const writeKey = (writer: Writer, key: object): void => {
    const start = writer.length;
    if (!writeWhole(writer, key)) writeLeading(writer, key);
    const length = writer.length - start;
    if (length > MAX_KEY_BYTES) throw new RangeError(`a key of ${table.name} has ${length} bytes; at most ${MAX_KEY_BYTES} fit`);
  };
  /** Returns whether all columns are given, so that this is the key of one row. */
  const writeLeading = (writer: Writer, prefix: object, rest?: object): boolean => {
    writer.u16(table.id);
    for (let index = 0; index < keyColumns.length; index++) {
      const column = keyColumns[index]!;
      const value = given(column, prefix, rest);
      if (value === undefined) {
        refuseGap(table, keyColumns, index, prefix, rest);
        return false;
      }
      column.write(writer, value);
    }
    return true;
  };
  return {
    encodeKey(key) {
      scratch.reset();
      writeKey(scratch, key);
      return scratch.finish();
    },
    keyView(key) {
      scratch.reset();
      writeKey(scratch, key);
      return scratch.view();
    },
    writeKey,
    writeValue: (writer, value) => valueColumns.encode(writer, value as Record<string, unknown>),
    lowest(prefix, rest) {
      scratch.reset();
      writeLeading(scratch, prefix, rest);
      return scratch.finish();
    },
    above(prefix, rest) {
      scratch.reset();
      // A whole key may end in text, which is also a prefix of longer texts; its range must contain only that key.
      if (!writeLeading(scratch, prefix, rest)) return next(scratch.view());
      scratch.u8(0);
      return scratch.finish();
    },
    decodeKey(encoded) {
      const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
      const key: Record<string, unknown> = {};
      let at = 2;
      for (const column of keyColumns) {
        key[column.name] = column.read(bytes, at);
        at += column.length ?? 0;
      }
      return key;
    },
    encodeValue(value) {
      scratch.reset();
      valueColumns.encode(scratch, value as Record<string, unknown>);
      return scratch.view();
    },
    decodeValue: (stored) => valueColumns.decode(new Reader(stored)),
  };
}

/**
 * Compiles the encoder of whole keys to straight-line code, in which each call site sees one column. It returns false, and writes nothing, if
 * a column is missing. The names come from Firn's own tables, never from input.
 */
function compileKey(table: Table, columns: readonly KeyColumn[]): (writer: Writer, key: object) => boolean {
  const reads = columns.map(({ name }, i) => `const v${i} = key[${JSON.stringify(name)}]; if (v${i} === undefined) return false;`);
  const writes = columns.map((_, i) => `w${i}(writer, v${i});`);
  const names = columns.map((_, i) => `w${i}`);
  const body = `return (writer, key) => {\n${[...reads, `writer.u16(${table.id});`, ...writes, "return true;"].join("\n")}\n};`;
  return new Function(...names, body)(...columns.map(({ write }) => write));
}

function given({ name }: KeyColumn, prefix: object, rest: object | undefined): unknown {
  return (prefix as Record<string, unknown>)[name] ?? (rest as Record<string, unknown> | undefined)?.[name];
}

/** The smallest bytes above everything that begins with `prefix`. They exist because table IDs are below 0xffff. */
function next(prefix: Buffer): Buffer {
  let length = prefix.length;
  while (prefix[length - 1] === 0xff) length--;
  const above = Buffer.from(prefix.subarray(0, length));
  above[length - 1]! += 1;
  return above;
}

interface KeyColumn {
  name: string;
  /** undefined for text */
  length: number | undefined;
  write(writer: Writer, value: unknown): void;
  read(source: Buffer, at: number): unknown;
}

function keyColumn(name: string, codec: Codec<unknown>): KeyColumn {
  const kind = codec.column;
  switch (kind?.kind) {
    case "u8":
      return { name, length: 1, write: (w, v) => w.u8(v as number), read: (b, at) => b[at] };
    case "bool":
      return { name, length: 1, write: (w, v) => w.u8(v ? 1 : 0), read: (b, at) => b[at] === 1 };
    case "u16":
      return { name, length: 2, write: (w, v) => w.u16(v as number), read: (b, at) => b.readUInt16BE(at) };
    case "u32":
      return { name, length: 4, write: (w, v) => w.u32(v as number), read: (b, at) => b.readUInt32BE(at) };
    case "u64":
      return { name, length: 8, write: (w, v) => w.u64(v as bigint), read: (b, at) => b.readBigUInt64BE(at) };
    case "hex":
      return hexColumn(name, kind.length);
    case "text":
      return {
        name,
        length: undefined,
        write: (w, v) => w.raw(Buffer.from(v as string, "latin1")),
        read: (b, at) => b.toString("latin1", at),
      };
    default:
      throw new TypeError(`${name} cannot be a key column: it does not sort like its bytes`);
  }
}

function hexColumn(name: string, length: number): KeyColumn {
  return {
    name,
    length,
    write(writer, value) {
      const text = value as string;
      if (text.length !== length * 2 || writer.hex(text) !== length) {
        throw new RangeError(`${name} is ${JSON.stringify(text)}; it needs ${length} bytes of hex`);
      }
    },
    read: (source, at) => source.toString("hex", at, at + length),
  };
}

/** Only leading columns define a range; a column after the missing one would be ignored. */
function refuseGap(table: Table, columns: readonly KeyColumn[], missing: number, prefix: object, rest: object | undefined): void {
  let index = missing + 1;
  while (index < columns.length && given(columns[index]!, prefix, rest) === undefined) index++;
  if (index >= columns.length) return;
  throw new FirnError(
    "key-gap",
    `${table.name} cannot be read by ${columns[index]!.name} without ${columns[missing]!.name}, which comes before it in the key`,
    {
      tableName: table.name,
    },
  );
}
