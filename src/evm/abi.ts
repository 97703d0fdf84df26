/**
 * The part of the contract ABI that is needed to ask tokens. Answers are untrusted: readers accept any bytes, stay within the answer, and
 * return `undefined` if it does not have the expected form.
 */
import { keccak256 } from "../base/bytes/hash.ts";
import type { Address } from "../sources/evm/parser/block.ts";

export const WORD_BYTES = 32;
const WORD_DIGITS = 2 * WORD_BYTES;

/** Returns eight hex digits. @param signature `transfer(address,uint256)` */
export function selectorOf(signature: string): string {
  return keccak256(Buffer.from(signature)).toString("hex", 0, 4);
}

/** Returns 64 hex digits. */
export function word(value: bigint | Address): string {
  return (typeof value === "bigint" ? value.toString(16) : value).padStart(WORD_DIGITS, "0");
}

/** Input of a call whose parameters are one word each, with `0x`. */
export function callData(signature: string, ...parameters: readonly (bigint | Address)[]): string {
  return `0x${selectorOf(signature)}${parameters.map(word).join("")}`;
}

/** Reads the word at a position; undefined if the answer ends before. */
export function readWord(answer: Buffer, at = 0): bigint | undefined {
  if (at + WORD_BYTES > answer.length) return undefined;
  return BigInt(`0x${answer.toString("hex", at, at + WORD_BYTES)}`);
}

/** Reads an answer that is one number and nothing else. */
export function readNumber(answer: Buffer | undefined): bigint | undefined {
  return answer?.length === WORD_BYTES ? readWord(answer) : undefined;
}

/** Reads 1 and 0 as true and false; undefined for anything else. */
export function readBool(answer: Buffer | undefined): boolean | undefined {
  const value = readNumber(answer);
  return value === 0n || value === 1n ? value === 1n : undefined;
}

/** Reads a `string` or `bytes` whose offset is at `at`. Padding may be missing. */
export function readBytes(answer: Buffer, at = 0, base = 0): Buffer | undefined {
  const start = readPlace(answer, at, base);
  const length = start === undefined ? undefined : readWord(answer, start);
  if (start === undefined || length === undefined || length > BigInt(answer.length - start - WORD_BYTES)) return undefined;
  return answer.subarray(start + WORD_BYTES, start + WORD_BYTES + Number(length));
}

/** Reads the offset at `at`, which counts from `base`, as a position in the answer; undefined if it is outside. */
export function readPlace(answer: Buffer, at: number, base: number): number | undefined {
  const offset = readWord(answer, at);
  return offset === undefined || offset > BigInt(answer.length - base) ? undefined : base + Number(offset);
}

/**
 * Reads a `string`, or a `bytes32` as old tokens return it. Undefined: the answer is neither, or not UTF-8.
 * @param maxBytes longer texts are cut after a whole character
 */
export function readText(answer: Buffer | undefined, maxBytes: number): string | undefined {
  if (answer === undefined || answer.length < WORD_BYTES) return undefined;
  const bytes = answer.length === WORD_BYTES ? withoutPadding(answer) : readBytes(answer);
  return bytes === undefined ? undefined : decodeUtf8(bytes.length > maxBytes ? cut(bytes, maxBytes) : bytes);
}

/** undefined: not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function withoutPadding(bytes32: Buffer): Buffer {
  let end = bytes32.length;
  while (end > 0 && bytes32[end - 1] === 0) end--;
  return bytes32.subarray(0, end);
}

/** Cuts before the first character that does not fit. */
function cut(bytes: Buffer, maxBytes: number): Buffer {
  let end = maxBytes;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
