/** Tells what kind of picture bytes are, by their first ones. A server's or a URI's word on its content is not believed. */

export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

/** undefined: none of these */
export function pictureType(content: Buffer): PictureType | undefined {
  const text = (start: number, end: number) => content.toString("latin1", start, end);
  if (text(0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (text(0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (["GIF87a", "GIF89a"].includes(text(0, 6))) return "image/gif";
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return "image/webp";
  if (text(4, 8) === "ftyp" && isAvif(content)) return "image/avif";
  return isSvg(content) ? "image/svg+xml" : undefined;
}

/** Bytes of a file's first box that are looked at. */
const MOST_BRANDS = 256;

/** The first box names the brands of the file, four letters each. */
function isAvif(content: Buffer): boolean {
  const end = Math.min(content.readUInt32BE(0), content.length, MOST_BRANDS);
  for (let at = 8; at + 4 <= end; at += 4) if (["avif", "avis"].includes(content.toString("latin1", at, at + 4))) return true;
  return false;
}

/** Characters that may stand before the element `svg`. */
const LONGEST_PROLOG = 4096;
/** what may stand before the first element, with how it ends */
const PROLOG = [
  ["<?", "?>"],
  ["<!--", "-->"],
  ["<!", ">"],
] as const;

function isSvg(content: Buffer): boolean {
  let rest = content.toString("utf8", 0, LONGEST_PROLOG).replace(/^\ufeff/, "");
  for (;;) {
    rest = rest.trimStart();
    const [, end] = PROLOG.find(([start]) => rest.startsWith(start)) ?? [];
    if (end === undefined) return /^<svg[\s/>]/.test(rest);
    const at = rest.indexOf(end);
    if (at === -1) return false;
    rest = rest.slice(at + end.length);
  }
}
