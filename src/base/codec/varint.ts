/** Numbers in as few bytes as they need: 7 bits a byte, the lowest first; the first bit says that more follow. Only for Firn's own rows. */
import type { Codec } from "./codec.ts";
import { CodecError } from "./error.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

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
