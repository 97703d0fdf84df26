/**
 * How text becomes PostgreSQL's, which must be UTF-8 without NUL. Firn keeps the text of chains as bytes (latin1), which may be neither.
 *
 * In values a byte that PostgreSQL cannot hold is written as `\xHH`, and a backslash as `\\`; whatever else is UTF-8 is written as it is.
 * In keys every byte is the character of that number, because keys must sort like their bytes (`COLLATE "C"`); 0 is written as 1 1, and 1 as 1 2.
 */
import { isUtf8 } from "node:buffer";

/** Text that is the same in all forms: printable ASCII without backslash. */
const PLAIN = /^[ -[\]-~]*$/;

/** @param value bytes as latin1 */
export function bytesToText(value: string): string {
  if (PLAIN.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  if (isUtf8(bytes)) return escapeText(bytes.toString("utf8"));
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at);
    text += length === 0 ? escapedByte(bytes[at]!) : escapeText(bytes.toString("utf8", at, at + length));
    at += length || 1;
  }
  return text;
}

/** The inverse of {@link bytesToText}. */
export function textToBytes(text: string): string {
  if (PLAIN.test(text)) return text;
  let bytes = "";
  let at = 0;
  for (const { index, 0: match } of text.matchAll(/\\(?:\\|x[0-9a-f]{2})/g)) {
    bytes += utf8Bytes(text.slice(at, index));
    bytes += match === "\\\\" ? "\\" : String.fromCharCode(Number.parseInt(match.slice(2), 16));
    at = index + match.length;
  }
  return bytes + utf8Bytes(text.slice(at));
}

/** Unicode text. Characters that UTF-8 cannot hold are replaced, as in other stores. */
export function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\0", escapedByte(0));
}

export function unescapeText(text: string): string {
  return text.replace(/\\(?:\\|x00)/g, (match) => (match === "\\\\" ? "\\" : "\0"));
}

/** @param value bytes as latin1 */
export function keyToText(value: string): string {
  if (PLAIN.test(value)) return value;
  return value.replaceAll("\x01", "\x01\x02").replaceAll("\0", "\x01\x01");
}

/** The inverse of {@link keyToText}. */
export function textToKey(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll("\x01\x01", "\0").replaceAll("\x01\x02", "\x01");
}

function escapedByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

function utf8Bytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** bytes of the UTF-8 sequence that begins here; 0: none does */
function sequenceAt(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}
