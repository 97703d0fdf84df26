/** Decodes JSON strings as Go does, from latin1 text (one character per byte). */
import { isUtf8 } from "node:buffer";

/**
 * The value of the JSON string token `source[start..end)`, which includes the quotes. Bytes that are not UTF-8 and lone surrogates become
 * U+FFFD.
 */
export function unquote(source: string, start: number, end: number): string {
  const inner = source.slice(start + 1, end - 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: anything ASCII without an escape stands for itself
  if (/^[\x00-\x5b\x5d-\x7f]*$/.test(inner)) return inner;
  const text = decodeUtf8(inner);
  // The text itself has no surrogates, so lone halves can only come from escapes
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string).replace(/\p{Surrogate}/gu, "\ufffd") : text;
}

/** Decodes bytes (latin1) as UTF-8 like Go's range over a string: each byte that does not begin a valid sequence becomes one U+FFFD. */
export function decodeUtf8(latin1: string): string {
  const bytes = Buffer.from(latin1, "latin1");
  if (isUtf8(bytes)) return bytes.toString("utf8");
  const replaced = Buffer.allocUnsafe(REPLACEMENT.length * bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const valid = sequenceLength(bytes, at);
    for (let index = 0; index < valid; index++) replaced[length++] = bytes[at + index]!;
    if (valid === 0) for (const byte of REPLACEMENT) replaced[length++] = byte;
    at += valid || 1;
  }
  return replaced.toString("utf8", 0, length);
}

const REPLACEMENT = Buffer.from("\ufffd");

/** The length of the valid UTF-8 sequence at `at`; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (let index = at + 2; index < at + length; index++) if ((bytes[index]! & 0xc0) !== 0x80) return 0;
  return length;
}
