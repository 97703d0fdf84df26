/**
 * PostgreSQL's binary form of `numeric`, for whole numbers: u16 count of digits, i16 weight of the first digit, u16 sign, u16 digits behind the
 * point; then the digits to base 10,000, without zeros at either end.
 */
import type { Reader, Writer } from "../../base/codec/reader.ts";

const BASE = 10_000;
const BIG_BASE = 10_000n;
const NEGATIVE = 0x40_00;
const HEADER_BYTES = 8;
const MOST_EXACT = 2n ** 53n;
const MOST_EXACT_HIGH = 2 ** 21;

/** Appends length and bytes of a field of binary COPY. */
export function writeNumeric(writer: Writer, value: bigint): void {
  const size = value < 0n ? -value : value;
  const sign = value < 0n ? NEGATIVE : 0;
  if (size < MOST_EXACT) writeSmall(writer, Number(size), sign);
  else writeLarge(writer, size, sign);
}

/** The same of 8 bytes that are read: most values are small enough for a double. */
export function copyNumeric(writer: Writer, reader: Reader): void {
  const [high, low] = [reader.u32(), reader.u32()];
  if (high < MOST_EXACT_HIGH) writeSmall(writer, high * 2 ** 32 + low, 0);
  else writeLarge(writer, (BigInt(high) << 32n) + BigInt(low), 0);
}

function writeSmall(writer: Writer, size: number, sign: number): void {
  let weight = 0;
  let unit = 1;
  for (; size >= unit * BASE; unit *= BASE) weight++;
  let count = size === 0 ? 0 : weight + 1;
  for (let rest = size; count > 0 && rest % BASE === 0; rest /= BASE) count--;
  writeHeader(writer, count, weight, sign);
  for (let rest = size; count > 0; count--, unit /= BASE) {
    writer.u16(Math.floor(rest / unit));
    rest %= unit;
  }
}

function writeLarge(writer: Writer, size: bigint, sign: number): void {
  // the lowest first
  const digits = largeDigits(size);
  const weight = digits.length - 1;
  const lowest = digits.findIndex((digit) => digit !== 0);
  writeHeader(writer, digits.length - lowest, weight, sign);
  for (let at = weight; at >= lowest; at--) writer.u16(digits[at]!);
}

function writeHeader(writer: Writer, count: number, weight: number, sign: number): void {
  writer.u32(HEADER_BYTES + 2 * count);
  writer.u16(count);
  writer.u16(weight);
  writer.u16(sign);
  writer.u16(0);
}

function largeDigits(size: bigint): number[] {
  const digits: number[] = [];
  for (let rest = size; rest > 0n; rest /= BIG_BASE) digits.push(Number(rest % BIG_BASE));
  return digits;
}
