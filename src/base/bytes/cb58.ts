/** cb58: base58 of the payload followed by the last four bytes of its SHA-256 (chain-formats 2.1). */

import { Recent } from "../collections/bounded-cache.ts";
import { TextError } from "../errors/text-error.ts";
import { quoteCharacter } from "../text/go-text.ts";
import { ripemd160Sha256Hex, sha256Hex } from "./hash.ts";
import type { Id, NodeId } from "./id.ts";

/** Node IDs as text: `NodeID-` followed by cb58 of 20 bytes (chain-formats 2.1). */
const PREFIX = "NodeID-";

export function formatNodeId(nodeId: NodeId): string {
  return PREFIX + formatId(nodeId);
}

export function parseNodeId(text: string): NodeId {
  if (!text.startsWith(PREFIX)) throw new TextError("node-id-prefix", `ID: ${text} is missing the prefix: ${PREFIX}`);
  return parseFixed(text.slice(PREFIX.length), 20);
}

/** The node ID of a staking certificate: the hash of its DER bytes. */
export function nodeIdOfCertificate(der: Uint8Array): NodeId {
  return ripemd160Sha256Hex(der);
}

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]));

/** The text of every three-digit value. 32-bit limbs are divided by 58³, which keeps remainders exact (58³ · 2³² < 2⁵³). */
const TRIPLES = Array.from(
  { length: 58 ** 3 },
  (_, value) => ALPHABET[Math.floor(value / 58 ** 2)]! + ALPHABET[Math.floor(value / 58) % 58]! + ALPHABET[value % 58]!,
);

/** Base58 with the Bitcoin alphabet. Errors have the reference node's texts. */
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

const CHECKSUM_BYTES = 4;

/** Answers repeat a few IDs (chains, assets, subnets, parents). An entry takes about 250 bytes. */
const formatted = new Recent<string, string>(20_000);

export function encodeCb58(payload: Uint8Array): string {
  return encodeBase58(appendChecksum(payload));
}

/** Returns the payload. Errors have the node's text (rpc-platform 2.7). */
export function decodeCb58(text: string): Buffer {
  const bytes = decodeOrExplain(text);
  if (bytes.length < CHECKSUM_BYTES) throw new TextError("cb58", "input string is smaller than the checksum size");
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  if (checksumHex(payload) !== bytes.toString("hex", payload.length)) throw new TextError("cb58", "invalid input checksum");
  return payload;
}

/** Formats an identifier of any length, given in hex. */
export function formatId(hex: string): string {
  let text = formatted.get(hex);
  if (text === undefined) {
    text = encodeCb58(Buffer.from(hex, "hex"));
    formatted.set(hex, text);
  }
  return text;
}

/** Clients ask for the same IDs repeatedly. Only valid IDs are cached, which are short. */
const parsed = new Recent<string, Id>(20_000);

export function parseId(text: string): Id {
  let id = parsed.get(text);
  if (id === undefined) {
    id = parseFixed(text, 32);
    parsed.set(text, id);
  }
  return id;
}

/** Far above the length of any ID and address: the cost of decoding grows faster than the length. */
const LONGEST_TEXT = 1024;

/** Parses cb58 text that must contain exactly `length` bytes; returns hex. */
export function parseFixed(text: string, length: number): string {
  if (text.length > LONGEST_TEXT)
    throw new TextError("id-length", `${text.length} characters are more than any ${length} bytes have in cb58`);
  const payload = decodeCb58(text);
  if (payload.length !== length) {
    throw new TextError("id-length", `invalid hash length: expected ${length} bytes but got ${payload.length}`);
  }
  return payload.toString("hex");
}

export function checksumHex(payload: Uint8Array): string {
  return sha256Hex(payload).slice(-2 * CHECKSUM_BYTES);
}

function appendChecksum(payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(payload.length + CHECKSUM_BYTES);
  bytes.set(payload);
  bytes.write(checksumHex(payload), payload.length, "hex");
  return bytes;
}

function decodeOrExplain(text: string): Buffer {
  try {
    return decodeBase58(text);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new TextError("cb58", `base58 decoding error: ${error.message}`);
  }
}
