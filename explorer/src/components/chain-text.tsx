/**
 * Text that anybody can have put on a chain: names, symbols, memos, reasons. It is shown as text, apart from what is around it: right-to-left
 * text turns nothing else around, and characters that cannot be seen are spelled.
 */

/** Control characters, those that only change how text is laid out, and halves of surrogate pairs. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const LONGEST = 300;

/** The text with invisible characters spelled, such as `\u{202e}`. */
export function spelled(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

export function ChainText({ text, longest = LONGEST }: { readonly text: string; readonly longest?: number }) {
  const isCut = text.length > longest;
  return (
    <bdi class="chain-text" dir="auto">
      {spelled(isCut ? text.slice(0, longest) : text)}
      {isCut && <span class="quiet">… ({text.length.toLocaleString("en")} characters)</span>}
    </bdi>
  );
}
