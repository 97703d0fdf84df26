/** Base58 with the Bitcoin alphabet. Errors have the reference node's texts. */

import { TextError } from "../errors/text-error.ts";
import { quoteCharacter } from "../text/go-text.ts";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]));

/** The text of every three-digit value. 32-bit limbs are divided by 58³, which keeps remainders exact (58³ · 2³² < 2⁵³). */
const TRIPLES = Array.from(
  { length: 58 ** 3 },
  (_, value) => ALPHABET[Math.floor(value / 58 ** 2)]! + ALPHABET[Math.floor(value / 58) % 58]! + ALPHABET[value % 58]!,
);

export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  const limbs = toLimbs(bytes);
  let text = "";
  let first = 0;
  while (first < limbs.length) {
    let remainder = 0;
    for (let i = first; i < limbs.length; i++) {
      const value = remainder * 0x1_0000_0000 + limbs[i]!;
      const quotient = Math.floor(value / 195_112);
      limbs[i] = quotient;
      remainder = value - quotient * 195_112;
    }
    text = TRIPLES[remainder]! + text;
    while (first < limbs.length && limbs[first] === 0) first++;
  }
  let start = 0;
  while (text[start] === "1") start++;
  return "1".repeat(zeros) + text.slice(start);
}

export function decodeBase58(text: string): Buffer {
  if (text === "") throw new TextError("base58", "zero length string");
  const digits: number[] = [];
  for (const character of text) {
    if (character > "\x7f") throw new TextError("base58", "High-bit set on invalid digit");
    const digit = DIGITS.get(character);
    if (digit === undefined) throw new TextError("base58", `Invalid base58 digit (${quoteCharacter(character)})`);
    digits.push(digit);
  }
  let zeros = 0;
  while (zeros < digits.length && digits[zeros] === 0) zeros++;
  const value = digits.length <= SHORT_DIGITS ? shortValue(digits) : longValue(digits, zeros);
  return Buffer.concat([Buffer.alloc(zeros), value]);
}

/** Every ID and address is shorter. For longer texts the quadratic cost of limbs would matter. */
const SHORT_DIGITS = 128;

/** Converts digit by digit into 32-bit limbs, the lowest first, without leading zeros. */
function shortValue(digits: readonly number[]): Buffer {
  const limbs: number[] = [];
  for (const digit of digits) {
    let carry = digit;
    for (let i = 0; i < limbs.length; i++) {
      const product = limbs[i]! * 58 + carry;
      limbs[i] = product % 0x1_0000_0000;
      carry = Math.floor(product / 0x1_0000_0000);
    }
    if (carry > 0) limbs.push(carry);
  }
  const bytes = Buffer.allocUnsafe(limbs.length * 4);
  for (let i = 0; i < limbs.length; i++) bytes.writeUInt32BE(limbs[limbs.length - 1 - i]!, i * 4);
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return bytes.subarray(start);
}

function longValue(digits: readonly number[], zeros: number): Buffer {
  const hex = zeros === digits.length ? "" : joinDigits(digits, zeros, digits.length).toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}

/** Splits in halves until a number fits, so a long hostile input costs little more than its multiplication. */
function joinDigits(digits: readonly number[], from: number, to: number): bigint {
  if (to - from <= 9) {
    let value = 0;
    for (let i = from; i < to; i++) value = value * 58 + digits[i]!;
    return BigInt(value);
  }
  const middle = (from + to) >> 1;
  return joinDigits(digits, from, middle) * 58n ** BigInt(to - middle) + joinDigits(digits, middle, to);
}

function toLimbs(bytes: Uint8Array): Uint32Array {
  const limbs = new Uint32Array(Math.ceil(bytes.length / 4));
  for (let i = 0; i < bytes.length; i++) {
    const fromEnd = bytes.length - 1 - i;
    limbs[limbs.length - 1 - (fromEnd >> 2)]! |= bytes[i]! << ((fromEnd & 3) * 8);
  }
  return limbs;
}
