/** How a column of a table is a column of PostgreSQL: its type, and its values as parameters, in results and in binary COPY. */
import { type Codec, decodeAll, encodeAll, type PlainColumnKind } from "../../base/codec/codec.ts";
import type { Reader, Writer } from "../../base/codec/reader.ts";
import type { Table } from "../../base/table/table.ts";
import { copyNumeric, writeNumeric } from "./numeric.ts";
import { bytesToText, escapeText, keyToText, textToBytes, textToKey, unescapeText } from "./text.ts";

/** of a field of binary COPY that is NULL */
const NULL_LENGTH = 0xff_ff_ff_ff;

/** Values of one kind. The text forms are those of the server's session, which Firn sets (`connection.ts`). */
interface SqlKind {
  /** as in `CREATE TABLE` */
  readonly type: string;
  /** a parameter */
  text(value: unknown): string;
  /** of a result */
  read(text: string): unknown;
  /** Appends length and bytes of binary COPY. */
  write(writer: Writer, value: unknown): void;
  /** The same of an encoded value, which is read; by default it is decoded and written. */
  copy?(writer: Writer, reader: Reader): void;
}

export interface SqlColumn {
  /** the table's name of it: camelCase */
  readonly name: string;
  /** quoted */
  readonly sqlName: string;
  /** as in `CREATE TABLE` */
  readonly type: string;
  readonly isNullable: boolean;
  /** what its values are, in plain words without quotes */
  readonly meaning: string;
  text(value: unknown): string | null;
  read(text: string | null): unknown;
  /** Appends length and bytes of binary COPY, of what a row's encoded key or value has at the reader. */
  copy(writer: Writer, reader: Reader): void;
}

export interface SqlColumns {
  readonly key: readonly SqlColumn[];
  readonly value: readonly SqlColumn[];
}

const known = new WeakMap<Table, SqlColumns>();

export function sqlColumns(table: Table): SqlColumns {
  let columns = known.get(table);
  if (columns === undefined) {
    columns = {
      key: Object.entries(table.key).map(([name, codec]) => sqlColumn(name, codec, true)),
      value: Object.entries(table.value).map(([name, codec], i, { length }) => {
        const column = sqlColumn(name, codec, false);
        // an opaque value that is the last one need not be decoded to know where it ends
        return i === length - 1 && codec.column === undefined ? { ...column, copy: copyRest } : column;
      }),
    };
    known.set(table, columns);
  }
  return columns;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Columns are named in snake_case, as PostgreSQL's users expect. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function sqlColumn(name: string, codec: Codec<unknown>, isKey: boolean): SqlColumn {
  const { column } = codec;
  const isNullable = column?.kind === "optional";
  const kind = kindOf(isNullable ? column.inner : column, codec, isKey);
  const meaning = `${meaningOf(isNullable ? column.inner : column)}${isNullable ? "; NULL: there is none" : ""}`;
  const base = { name, sqlName: quoted(snakeCase(name)), type: kind.type, isNullable, meaning };
  if (!isNullable) {
    const copy = kind.copy ?? ((writer: Writer, reader: Reader) => kind.write(writer, codec.decode(reader)));
    return { ...base, text: kind.text, read: (text) => kind.read(text!), copy };
  }
  return {
    ...base,
    text: (value) => (value === undefined ? null : kind.text(value)),
    read: (text) => (text === null ? undefined : kind.read(text)),
    copy(writer, reader) {
      const value = codec.decode(reader);
      if (value === undefined) writer.u32(NULL_LENGTH);
      else kind.write(writer, value);
    },
  };
}

/** In the words of docs/tables.md. */
function meaningOf(column: PlainColumnKind | undefined): string {
  switch (column?.kind) {
    case "hex":
      return `${column.length} bytes: an ID, a hash or an address`;
    case "bytes":
      return "bytes";
    case "text":
    case "sentence":
      return "text in UTF-8; a byte that it cannot hold is \\xHH, and a backslash is two";
    case "bool":
      return "yes or no";
    case "integer":
      return "whole number of any size";
    case undefined:
      return "a record or a list, packed as in a file of Firn";
    default:
      return `whole number (${column!.kind})`;
  }
}

function kindOf(column: PlainColumnKind | undefined, codec: Codec<unknown>, isKey: boolean): SqlKind {
  switch (column?.kind) {
    case "u8":
      return { ...integer("smallint", 2, (writer, value) => writer.u16(value)), copy: copyU8 };
    case "u16":
      return { ...integer("integer", 4, (writer, value) => writer.u32(value)), copy: copyU16 };
    case "u32":
      return { ...integer("bigint", 8, writeWide), copy: copyU32 };
    case "varint":
      return integer("bigint", 8, writeWide);
    case "bool":
      return BOOLEAN;
    case "u64":
      return { ...NUMERIC, type: "numeric(20)", copy: copyNumeric };
    case "varint64":
      return { ...NUMERIC, type: "numeric(20)" };
    case "integer":
      return NUMERIC;
    case "hex":
      return hex(column.length);
    case "bytes":
      return BYTES;
    case "text":
      return isKey ? { ...KEY_TEXT, copy: copyKeyText } : TEXT;
    case "sentence":
      return SENTENCE;
    default:
      return record(codec);
  }
}

function integer(type: string, length: number, append: (writer: Writer, value: number) => void): SqlKind {
  return {
    type,
    text: (value) => `${value as number}`,
    read: Number,
    write(writer, value) {
      writer.u32(length);
      append(writer, value as number);
    },
  };
}

/** @param value up to 2^53 */
function writeWide(writer: Writer, value: number): void {
  writer.u32(Math.floor(value / 2 ** 32));
  writer.u32(value % 2 ** 32);
}

function copyU8(writer: Writer, reader: Reader): void {
  writer.u32(2);
  writer.u16(reader.u8());
}

function copyU16(writer: Writer, reader: Reader): void {
  writer.u32(4);
  writer.u32(reader.u16());
}

function copyU32(writer: Writer, reader: Reader): void {
  writer.u32(8);
  writer.u32(0);
  writer.u32(reader.u32());
}

const BOOLEAN: SqlKind = {
  type: "boolean",
  text: (value) => (value ? "t" : "f"),
  read: (text) => text === "t",
  write(writer, value) {
    writer.u32(1);
    writer.u8(value ? 1 : 0);
  },
};

const NUMERIC: SqlKind = {
  type: "numeric",
  text: (value) => `${value as bigint}`,
  read: BigInt,
  write: (w, value) => writeNumeric(w, value as bigint),
};

function hex(length: number): SqlKind {
  return {
    type: "bytea",
    text(value) {
      const digits = value as string;
      if (digits.length !== 2 * length || !/^[0-9a-f]*$/i.test(digits)) {
        throw new RangeError(`${JSON.stringify(digits)} is no key; it needs ${length} bytes of hex`);
      }
      return `\\x${digits}`;
    },
    read: (text) => text.slice(2),
    write(writer, value) {
      writer.u32(length);
      writer.hex(value as string);
    },
    copy(writer, reader) {
      const at = reader.take(length);
      writer.u32(length);
      writer.copy(reader.bytes, at, at + length);
    },
  };
}

const BYTES: SqlKind = {
  type: "bytea",
  text: (value) => bytea(value as Uint8Array),
  read: bytesOf,
  write: (writer, value) => writeBytes(writer, value as Uint8Array),
};

function record(codec: Codec<unknown>): SqlKind {
  return {
    type: "bytea",
    text: (value) => bytea(encodeAll(codec, value)),
    read: (text) => decodeAll(codec, bytesOf(text)),
    write: (writer, value) => writeBytes(writer, encodeAll(codec, value)),
    // its bytes are those of the row; where they end only its codec knows
    copy(writer, reader) {
      const at = reader.offset;
      codec.decode(reader);
      writer.u32(reader.offset - at);
      writer.copy(reader.bytes, at, reader.offset);
    },
  };
}

const TEXT = textKind("text", bytesToText, textToBytes);
const KEY_TEXT = textKind('text COLLATE "C"', keyToText, textToKey);

function copyRest(writer: Writer, reader: Reader): void {
  writer.u32(reader.left);
  writer.copy(reader.bytes, reader.offset, reader.end);
}

/** A key ends with its text, which has no length. */
function copyKeyText(writer: Writer, reader: Reader): void {
  KEY_TEXT.write(writer, reader.slice(reader.left).toString("latin1"));
}

const SENTENCE = textKind("text", escapeText, unescapeText);

function textKind(type: string, text: (value: string) => string, read: (text: string) => string): SqlKind {
  return {
    type,
    text: (value) => text(value as string),
    read,
    write: (writer, value) => writeBytes(writer, Buffer.from(text(value as string), "utf8")),
  };
}

function bytea(value: Uint8Array): string {
  return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`;
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), "hex");
}

function writeBytes(writer: Writer, value: Uint8Array): void {
  writer.u32(value.length);
  writer.raw(value);
}
