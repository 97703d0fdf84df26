/**
 * Encodes a page token: where the list continues, and the filters of the first request. The encoding is compact, since tokens are short.
 */

import { sha256Hex } from "../../base/bytes/hash.ts";
import { Reader, Writer } from "../../base/codec/reader.ts";
import type { Position } from "./context.ts";

/** A parameter as the client sent it. */
export type Filter = string | readonly string[];
/** The hash of a filter that is too long for the token. The client has to send the filter again. */
export class FilterDigest {
  readonly hex: string;

  constructor(hex: string) {
    this.hex = hex;
  }

  static of(filter: Filter): FilterDigest {
    return new FilterDigest(sha256Hex(Buffer.from(JSON.stringify(filter))).slice(0, 2 * DIGEST_BYTES));
  }
}

interface TokenContent {
  readonly position: Position;
  readonly filters: ReadonlyMap<string, Filter | FilterDigest>;
}

const VERSION = 1;
const DIGEST_BYTES = 16;

// Kinds of values. Clients hold these numbers in tokens, so none is ever reused.
const TEXT = 0;
const HEX = 1;
const INTEGER = 2;
const NEGATIVE = 3;
const NUMBER = 4;
const LIST = 5;
const DIGEST = 6;

export function encodeToken({ position, filters }: TokenContent): Buffer {
  const writer = new Writer(256);
  writer.u8(VERSION);
  const columns = Object.entries(position);
  writer.u8(columns.length);
  for (const [name, value] of columns) {
    writeText(writer, name);
    writeValue(writer, value);
  }
  for (const [name, filter] of filters) {
    writeText(writer, name);
    if (filter instanceof FilterDigest) {
      writer.u8(DIGEST);
      writer.hex(filter.hex);
    } else if (typeof filter === "string") writeValue(writer, filter);
    else {
      writer.u8(LIST);
      writer.u8(filter.length);
      for (const item of filter) writeText(writer, item);
    }
  }
  return writer.finish();
}

/** Returns undefined if another version of Firn wrote it. The bytes are authentic, so nothing else can be wrong with them. */
export function decodeToken(bytes: Buffer): TokenContent | undefined {
  const reader = new Reader(bytes);
  if (reader.u8() !== VERSION) return undefined;
  const position: Record<string, string | number | bigint> = {};
  for (let left = reader.u8(); left > 0; left--) position[readText(reader)] = readValue(reader, reader.u8());
  const filters = new Map<string, Filter | FilterDigest>();
  while (reader.left > 0) filters.set(readText(reader), readFilter(reader));
  return { position, filters };
}

function writeValue(writer: Writer, value: string | number | bigint): void {
  if (typeof value === "number") {
    writer.u8(NUMBER);
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleBE(value);
    writer.raw(bytes);
  } else if (typeof value === "bigint") {
    writer.u8(value < 0n ? NEGATIVE : INTEGER);
    const digits = (value < 0n ? -value : value).toString(16);
    writeHex(writer, digits.padStart(digits.length + (digits.length % 2), "0"));
  } else if (/^(?:[0-9a-f]{2})+$/.test(value)) {
    writer.u8(HEX);
    writeHex(writer, value);
  } else {
    writer.u8(TEXT);
    writeText(writer, value);
  }
}

function readValue(reader: Reader, kind: number): string | number | bigint {
  switch (kind) {
    case NUMBER:
      return reader.slice(8).readDoubleBE();
    case INTEGER:
      return BigInt(`0x${readHex(reader)}`);
    case NEGATIVE:
      return -BigInt(`0x${readHex(reader)}`);
    case HEX:
      return readHex(reader);
    case TEXT:
      return readText(reader);
    default:
      throw new Error(`${kind} is not a kind of value in page tokens`);
  }
}

function readFilter(reader: Reader): Filter | FilterDigest {
  const kind = reader.u8();
  if (kind === DIGEST) return new FilterDigest(reader.hex(DIGEST_BYTES));
  if (kind !== LIST) return String(readValue(reader, kind));
  return Array.from({ length: reader.u8() }, () => readText(reader));
}

function writeText(writer: Writer, text: string): void {
  const bytes = Buffer.from(text);
  writer.u16(bytes.length);
  writer.raw(bytes);
}

function readText(reader: Reader): string {
  return reader.slice(reader.u16()).toString();
}

function writeHex(writer: Writer, hex: string): void {
  writer.u16(hex.length / 2);
  writer.hex(hex);
}

function readHex(reader: Reader): string {
  return reader.hex(reader.u16());
}
