/** What a failed call says of its reason, in the two forms that Solidity gives to errors without a name of their own. */
import { decodeUtf8, readWord, WORD_BYTES } from "./abi.ts";

const SELECTOR_BYTES = 4;
/** Error(string) */
const ERROR = "08c379a0";
/** Panic(uint256) */
const PANIC = "4e487b71";

/** by code, as Solidity's documentation has them */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, "generic error"],
  [0x01n, "assertion failed"],
  [0x11n, "arithmetic overflow or underflow"],
  [0x12n, "division or modulo by zero"],
  [0x21n, "value is not of the enum"],
  [0x22n, "storage byte array is wrongly encoded"],
  [0x31n, "pop of an empty array"],
  [0x32n, "index out of bounds"],
  [0x41n, "too much memory"],
  [0x51n, "call of an uninitialized function"],
]);

/**
 * undefined: another error, or none. @param output what the call returned, or the beginning of it: a text that goes beyond is cut after a whole
 * character. @param length bytes of all that it returned
 */
export function revertReason(output: Buffer, length = output.length): string | undefined {
  const selector = output.toString("hex", 0, SELECTOR_BYTES);
  const words = output.subarray(SELECTOR_BYTES);
  if (selector === PANIC) return panicOf(readWord(words));
  if (selector !== ERROR || readWord(words) !== BigInt(WORD_BYTES)) return undefined;
  const ofText = readWord(words, WORD_BYTES);
  const isThere = ofText !== undefined && ofText <= BigInt(length - SELECTOR_BYTES - 2 * WORD_BYTES);
  return isThere ? textOf(words.subarray(2 * WORD_BYTES), ofText) : undefined;
}

function panicOf(code: bigint | undefined): string | undefined {
  if (code === undefined) return undefined;
  const meaning = PANICS.get(code);
  return `Panic(0x${code.toString(16).padStart(2, "0")})${meaning === undefined ? "" : `: ${meaning}`}`;
}

/** A character has at most four bytes, so the last three may belong to one that is cut. */
function textOf(bytes: Buffer, length: bigint): string | undefined {
  if (length <= BigInt(bytes.length)) return decodeUtf8(bytes.subarray(0, Number(length)));
  for (let end = bytes.length; end >= Math.max(0, bytes.length - 3); end--) {
    const text = decodeUtf8(bytes.subarray(0, end));
    if (text !== undefined) return text;
  }
  return undefined;
}
