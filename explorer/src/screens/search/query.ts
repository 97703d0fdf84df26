/** What a user typed or pasted, as it is searched for. */

const AROUND = `[\\s"'\`“”‘’«»,;]`;
const EDGES = new RegExp(`^${AROUND}+|${AROUND}+$`, "gu");

/** Without quotes, commas and blanks around it, and without the breaks of lines that a terminal put into it. */
export function cleaned(text: string): string {
  return text.replace(/[\r\n]+\s*/g, "").replace(EDGES, "");
}
