/**
 * PostgreSQL's binary form of `numeric`, for whole numbers: u16 count of digits, i16 weight of the first digit, u16 sign, u16 digits behind the
 * point; then the digits to base 10,000, without zeros at either end.
 */
import type { Writer } from "../../primitives/codec/writer.ts";

const BASE = 10_000;
const BIG_BASE = 10_000n;
const NEGATIVE = 0x40_00;
const HEADER_BYTES = 8;
const MOST_EXACT = 2n ** 53n;

/** Appends length and bytes of a field of binary COPY. */
export function writeNumeric(writer: Writer, value: bigint): void {
  const size = value < 0n ? -value : value;
  // the lowest first
  const digits = size < MOST_EXACT ? smallDigits(Number(size)) : largeDigits(size);
  const weight = digits.length - 1;
  let lowest = 0;
  while (lowest < digits.length && digits[lowest] === 0) lowest++;
  writer.u32(HEADER_BYTES + 2 * (digits.length - lowest));
  writer.u16(digits.length - lowest);
  writer.u16(digits.length === 0 ? 0 : weight);
  writer.u16(value < 0n ? NEGATIVE : 0);
  writer.u16(0);
  for (let at = weight; at >= lowest; at--) writer.u16(digits[at]!);
}

function smallDigits(size: number): number[] {
  const digits: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / BASE)) digits.push(rest % BASE);
  return digits;
}

function largeDigits(size: bigint): number[] {
  const digits: number[] = [];
  for (let rest = size; rest > 0n; rest /= BIG_BASE) digits.push(Number(rest % BIG_BASE));
  return digits;
}
