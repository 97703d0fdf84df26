/** How the reference node's language prints text inside error messages. */

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const ESCAPES: Record<string, string> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
};

/** `%q` of a string. */
export function quoteText(text: string): string {
  return quoteWith(text, '"');
}

/** `%q` of one character. */
export function quoteCharacter(character: string): string {
  return quoteWith(character, "'");
}

/** `%#U`: `U+0067 'g'`, and only `U+0001` where there is nothing to print. */
export function describeCodePoint(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  const name = `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
  return PRINTABLE.test(character) ? `${name} '${character}'` : name;
}

function quoteWith(text: string, quote: string): string {
  let quoted = quote;
  for (const character of text) quoted += character === quote ? `\\${quote}` : (ESCAPES[character] ?? escapeUnprintable(character));
  return quoted + quote;
}

function escapeUnprintable(character: string): string {
  if (PRINTABLE.test(character)) return character;
  const codePoint = character.codePointAt(0)!;
  const hex = codePoint.toString(16);
  if (codePoint < 0x20 || codePoint === 0x7f) return `\\x${hex.padStart(2, "0")}`;
  // a lone surrogate cannot be encoded: it reaches the node as the replacement character, which is printable
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return "\ufffd";
  return codePoint < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
