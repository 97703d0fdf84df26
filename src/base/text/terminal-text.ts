/**
 * Text for a terminal. Names and answers of strangers – nodes, files, tokens – may hold characters that command a terminal: escape
 * sequences, and marks that turn the direction of writing. They are spelled out, as JSON spells them, so that JSON stays the same.
 */

/** Without the line feed and the tab. */
const COMMANDS = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Lines stay lines. */
export function terminalText(text: string): string {
  return text.replace(COMMANDS, spelledOut);
}

/** One line, whatever it holds. */
export function terminalLine(text: string): string {
  return terminalText(text).replace(/[\n\t]/g, spelledOut);
}

function spelledOut(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
