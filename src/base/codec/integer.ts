import type { Codec } from "./codec.ts";
import { CodecError } from "./error.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

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
