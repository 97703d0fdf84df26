/** What a user typed or pasted, as it is searched for. */

const AROUND = `[\\s"'\`“”‘’«»,;]`;
const EDGES = new RegExp(`^${AROUND}+|${AROUND}+$`, "gu");

/** Without quotes, commas and blanks around it, and without the breaks of lines that a terminal put into it. */
export function cleaned(text: string): string {
  return text.replace(/[\r\n]+\s*/g, "").replace(EDGES, "");
}

/**
 * What a path of the search asks for; undefined for other paths. The router's own parameters keep the escapes of some characters.
 * @param hash as the browser has it, with the escapes
 */
export function queryIn(hash: string): string | undefined {
  const [, part] = /^#\/search\/(.*)$/s.exec(hash) ?? [];
  if (part === undefined) return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    // somebody wrote the path by hand
    return part;
  }
}

/** A block by its chain's letter and its height, as people write it: `P:22`, `c 1,234`. */
export function blockIn(query: string): { readonly chain: "P" | "X" | "C"; readonly height: string } | undefined {
  const [, letter, height] = /^([pxc])(?:-chain)?\s*[: #]\s*(\d[\d,_]*)$/i.exec(query) ?? [];
  if (letter === undefined || height === undefined) return undefined;
  return { chain: letter.toUpperCase() as "P" | "X" | "C", height: height.replace(/[,_]/g, "") };
}

/** The four bytes that name a function or an error, in lower case. */
export function selectorIn(query: string): string | undefined {
  return /^0x[0-9a-f]{8}$/i.test(query) ? query.toLowerCase() : undefined;
}
