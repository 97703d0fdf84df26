/** Prints text as Go does inside the reference node's error messages. */

/** The longest client text that an error repeats in full; the node has no such limit. */
export const LONGEST_ECHO = 8192;

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
/** ASCII that is printed unchanged between any quotes. */
const PLAIN = /^[ !#-&(-[\]-~]*$/;
/** The first half of a surrogate pair that was cut. */
const LAST_HALF = /[\ud800-\udbff]$/;
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

/** A client's text as errors repeat it. A long one is cut, with an ellipsis at the end. */
export function echoed(text: string): string {
  return text.length <= LONGEST_ECHO ? text : `${text.slice(0, LONGEST_ECHO).replace(LAST_HALF, "")}…`;
}

/** `%q` of a string, cut like {@link echoed}. */
export function quoteText(text: string): string {
  return quoteWith(echoed(text), '"');
}

/** `%q` of one character. */
export function quoteCharacter(character: string): string {
  return quoteWith(character, "'");
}

/** `%#U`: `U+0067 'g'`, or just `U+0001` if the character is not printable. */
export function describeCodePoint(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  const name = `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
  return PRINTABLE.test(character) ? `${name} '${character}'` : name;
}

function quoteWith(text: string, quote: string): string {
  if (PLAIN.test(text)) return quote + text + quote;
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
