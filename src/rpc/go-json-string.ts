/** Go's reading of JSON strings, over latin1 text (one character per byte). */

/** Value of the JSON string token `source[start..end)`, quotes included. Bytes that are not UTF-8 and lone surrogates become U+FFFD. */
export function unquote(source: string, start: number, end: number): string {
  const inner = source.slice(start + 1, end - 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: anything ASCII without an escape stands for itself
  return /^[\x00-\x5b\x5d-\x7f]*$/.test(inner) ? inner : decodeEscapes(inner);
}

const simpleEscapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function decodeEscapes(inner: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < inner.length) {
    const backslash = inner.indexOf("\\", at);
    const plainEnd = backslash === -1 ? inner.length : backslash;
    if (plainEnd > at) parts.push(decodeUtf8(inner.slice(at, plainEnd)));
    if (backslash === -1) break;
    const letter = inner[backslash + 1]!;
    if (letter !== "u") {
      parts.push(simpleEscapes[letter] ?? letter);
      at = backslash + 2;
      continue;
    }
    const unit = hexUnit(inner, backslash);
    const next = hexUnit(inner, backslash + 6);
    const isPair = isHighSurrogate(unit) && isLowSurrogate(next);
    if (isPair) parts.push(String.fromCharCode(unit, next));
    else parts.push(isHighSurrogate(unit) || isLowSurrogate(unit) ? "\ufffd" : String.fromCharCode(unit));
    at = backslash + (isPair ? 12 : 6);
  }
  return parts.join("");
}

/** The unit of `\uXXXX` at `at`, or -1 if there is no such escape. */
function hexUnit(text: string, at: number): number {
  return text[at] === "\\" && text[at + 1] === "u" ? Number.parseInt(text.slice(at + 2, at + 6), 16) : -1;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Bytes (latin1) as UTF-8 the way Go ranges over a string: each byte that begins no valid sequence is one U+FFFD. */
export function decodeUtf8(latin1: string): string {
  const bytes = Buffer.from(latin1, "latin1");
  let text = "";
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    text += length === 0 ? "\ufffd" : bytes.toString("utf8", at, at + length);
    at += length || 1;
  }
  return text;
}

/** Length of the valid UTF-8 sequence at `at`; 0 if there is none. */
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
