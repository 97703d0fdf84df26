/** The byte encodings of the node's API: `hex` (= `hexc`) has a checksum, `hexnc` has none (rpc-platform 2.6). */

import { TextError } from "../errors/text-error.ts";
import { describeCodePoint } from "../text/go-text.ts";
import { checksumHex } from "./cb58.ts";

const PREFIX = "0x";
const CHECKSUM_BYTES = 4;

export function encodeHexChecksummed(bytes: Uint8Array): string {
  return encodeHexPlain(bytes) + checksumHex(bytes);
}

export function encodeHexPlain(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** Decodes `0x…`. An empty text is zero bytes, even with `checksum`. Errors have the node's texts. */
export function decodeHex(text: string, { checksum }: { checksum: boolean }): Buffer {
  if (text === "") return Buffer.alloc(0);
  if (!text.startsWith(PREFIX)) throw new TextError("hex-prefix", "missing 0x prefix to hex encoding");
  const bytes = decodeDigits(text.slice(PREFIX.length));
  if (!checksum) return bytes;
  if (bytes.length < CHECKSUM_BYTES) throw new TextError("hex-checksum", "input string is smaller than the checksum size");
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  if (checksumHex(payload) !== bytes.toString("hex", payload.length)) throw new TextError("hex-checksum", "invalid input checksum");
  return payload;
}

/** undefined: the text is not an even number of digits of hex */
export function hexBytes(digits: string): Buffer | undefined {
  const bytes = Buffer.from(digits, "hex");
  // decoding ends at the first other character, but reads one beyond ASCII by its low byte: U+0130 as "0"
  return bytes.length * 2 === digits.length && Buffer.byteLength(digits) === digits.length ? bytes : undefined;
}

function decodeDigits(digits: string): Buffer {
  return hexBytes(digits) ?? failToDecode(digits);
}

function failToDecode(digits: string): never {
  const wrong = digits.search(/[^0-9a-fA-F]/);
  if (wrong !== -1) {
    // the node checks bytes: for a multi-byte character it names the first byte
    const byte = Buffer.from(digits.slice(wrong, wrong + 2), "utf8")[0]!;
    throw new TextError("hex-digit", `encoding/hex: invalid byte: ${describeCodePoint(byte)}`);
  }
  throw new TextError("hex-length", "encoding/hex: odd length hex string");
}

/** Converts names for answers to UTF-8. Codecs and text columns hold their bytes as latin1. */
export function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
