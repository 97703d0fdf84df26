/** Numbers in as few bytes as they need: 7 bits a byte, the lowest first; the first bit says that more follow. Only for Firn's own rows. */
import type { Codec } from "./codec.ts";
import { CodecError } from "./error.ts";
import type { Reader, Writer } from "./reader.ts";

// Byte strings in rows: with a short length, and without the zeros that the words of contracts are full of. Only for Firn's own rows.

/** Varint length, then raw bytes (a view of the input). */
export const shortBytes: Codec<Uint8Array> = {
  decode: (reader) => reader.slice(readVarint(reader)),
  encode(writer, value) {
    writeVarint(writer, value.length);
    writer.raw(value);
  },
  json: (value) => hexJson(value),
  column: { kind: "bytes" },
};

/** longest run of zeros that is one */
const LONGEST_RUN = 255;

/**
 * Varint of twice the length, plus one if zeros are packed: each run of them is then a zero and a byte with their number. They are packed
 * if that is shorter.
 */
export const packedBytes: Codec<Uint8Array> = {
  decode(reader) {
    const header = readVarint(reader);
    const length = Math.floor(header / 2);
    if (header % 2 === 0) return reader.slice(length);
    // two bytes make at most LONGEST_RUN
    if (length > reader.left * LONGEST_RUN) throw new CodecError("short", reader.offset, { need: length, left: reader.left });
    const value = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const byte = reader.u8();
      if (byte === 0) at += reader.u8();
      else value[at++] = byte;
      if (at > length) throw new CodecError("length", reader.offset, { length: at, limit: length });
    }
    return value;
  },
  encode(writer, value) {
    const { length } = value;
    const isPacked = packedLength(value) < length;
    writeVarint(writer, 2 * length + (isPacked ? 1 : 0));
    if (isPacked) pack(writer, value);
    else writer.raw(value);
  },
  json: (value) => hexJson(value),
  column: { kind: "bytes" },
};

function pack(writer: Writer, value: Uint8Array): void {
  for (let at = 0; at < value.length; ) {
    const byte = value[at]!;
    writer.u8(byte);
    if (byte !== 0) at++;
    else {
      const run = runAt(value, at);
      writer.u8(run);
      at += run;
    }
  }
}

function packedLength(value: Uint8Array): number {
  let length = 0;
  for (let at = 0; at < value.length; ) {
    if (value[at] !== 0) {
      at++;
      length++;
    } else {
      at += runAt(value, at);
      length += 2;
    }
  }
  return length;
}

function runAt(value: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < value.length && end - at < LONGEST_RUN && value[end] === 0) end++;
  return end - at;
}

function hexJson(value: Uint8Array): string {
  return `"0x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}"`;
}

/** Amounts of EVM chains, up to 2^256 − 1: a length, then that many bytes without leading zeros. Only for Firn's own rows. */
export const integer256: Codec<bigint> = {
  decode: (reader) => magnitude(reader, reader.u8()),
  encode(writer, value) {
    if (value < 0n || value >= 1n << 256n) throw new RangeError(`${value} is no unsigned number of 256 bits`);
    writeMagnitude(writer, value, 0);
  },
  json: (value) => `"${value}"`,
  column: { kind: "integer" },
};

const SIGN = 0x80;

/** Sums of such amounts, which may be negative: the first bit of the length is the sign. */
export const signedInteger: Codec<bigint> = {
  decode(reader) {
    const header = reader.u8();
    const value = magnitude(reader, header & ~SIGN);
    return header & SIGN ? -value : value;
  },
  encode: (writer, value) => writeMagnitude(writer, value < 0n ? -value : value, value < 0n ? SIGN : 0),
  json: (value) => `"${value}"`,
  column: { kind: "integer" },
};

function magnitude(reader: Reader, length: number): bigint {
  if (length === 0) return 0n;
  const at = reader.offset;
  const hex = reader.hex(length);
  if (hex.startsWith("00")) throw new CodecError("length", at, { length, expected: "no zero in front" });
  return BigInt(`0x${hex}`);
}

function writeMagnitude(writer: Writer, value: bigint, sign: number): void {
  if (value === 0n) {
    writer.u8(0);
    return;
  }
  const digits = value.toString(16);
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
  const length = hex.length / 2;
  if (length >= SIGN) throw new RangeError(`${value} is larger than a sum of amounts can be`);
  writer.u8(sign | length);
  writer.hex(hex);
}

const BASE = 0x80;
/** a number of so many bytes is exact in a double */
const EXACT_BYTES = 7;
const EXACT_BITS = BigInt(7 * EXACT_BYTES);
const FIRST_INEXACT = 1n << EXACT_BITS;
const MAX_U64 = 2n ** 64n - 1n;

/** @param value whole, from 0 to 2^49 − 1 */
export function writeVarint(writer: Writer, value: number): void {
  if (!(value >= 0 && value < 2 ** (7 * EXACT_BYTES))) throw new RangeError(`${value} is no unsigned number of 49 bits`);
  let rest = value;
  for (; rest >= BASE; rest = Math.floor(rest / BASE)) writer.u8((rest % BASE) | BASE);
  writer.u8(rest);
}

/** Accepts only the shortest form. */
export function readVarint(reader: Reader): number {
  const { value, isWhole } = readBytes(reader);
  if (!isWhole) throw new CodecError("length", reader.offset, { limit: EXACT_BYTES });
  return value;
}

/** Whole numbers up to 2^49 − 1. */
export const varint: Codec<number> = { decode: readVarint, encode: writeVarint, json: (value) => `${value}`, column: { kind: "varint" } };

/** Whole numbers up to 2^64 − 1. */
export const varint64: Codec<bigint> = {
  decode(reader) {
    const { value, isWhole } = readBytes(reader);
    if (isWhole) return BigInt(value);
    const at = reader.offset;
    const all = BigInt(value) + (BigInt(readVarint(reader)) << EXACT_BITS);
    if (all < FIRST_INEXACT || all > MAX_U64) throw new CodecError("length", at, { limit: MAX_U64 });
    return all;
  },
  encode(writer, value) {
    if (value < 0n || value > MAX_U64) throw new RangeError(`${value} is no unsigned number of 64 bits`);
    if (value < FIRST_INEXACT) {
      writeVarint(writer, Number(value));
      return;
    }
    let low = Number(value & (FIRST_INEXACT - 1n));
    for (let i = 0; i < EXACT_BYTES; i++, low = Math.floor(low / BASE)) writer.u8((low % BASE) | BASE);
    writeVarint(writer, Number(value >> EXACT_BITS));
  },
  json: (value) => `${value}`,
  column: { kind: "varint64" },
};

/** Reads at most EXACT_BYTES bytes. */
function readBytes(reader: Reader): { value: number; isWhole: boolean } {
  const at = reader.offset;
  let value = 0;
  for (let i = 0, unit = 1; i < EXACT_BYTES; i++, unit *= BASE) {
    const byte = reader.u8();
    value += (byte % BASE) * unit;
    if (byte >= BASE) continue;
    if (byte === 0 && i > 0) throw new CodecError("length", at, { expected: "no zero at the end" });
    return { value, isWhole: true };
  }
  return { value, isWhole: false };
}
