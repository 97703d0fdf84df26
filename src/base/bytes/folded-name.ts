/**
 * Names as they are compared in a search: those that look alike are equal, whatever their case, width, spaces and invisible characters are.
 * Names are chosen by strangers. So keys have a fixed length, whatever the length of the name.
 */
import { sha256Hex } from "./hash.ts";

/** Longer names are cut, since normalizing makes a text up to 18 times as long. */
const LONGEST_NAME = 256;

/** Empty if nothing visible is in the name. Only characters that a later version of Unicode adds may be folded otherwise by a later Node.js. */
export function foldedName(name: string): string {
  return (
    name
      .slice(0, LONGEST_NAME)
      // first, since they can separate a letter from its accent
      .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, (character) => (/\s/.test(character) ? " " : ""))
      .normalize("NFKC")
      .toLowerCase()
      .normalize("NFKC")
      .replace(/\s+/g, " ")
      .trim()
  );
}

const KEY_BYTES = 32;
/** of the name itself, so that names with the same beginning are one range; the rest of the key is a hash of the whole name */
const PREFIX_BYTES = 24;

/** The key of a folded name: 32 bytes as hex. */
export function nameKey(folded: string): string {
  return prefixHex(folded).padEnd(2 * PREFIX_BYTES, "0") + sha256Hex(Buffer.from(folded)).slice(0, 2 * (KEY_BYTES - PREFIX_BYTES));
}

/** The first and the last key that names with this beginning can have. Names whose first 24 bytes are the same are in the range too. */
export function namePrefixRange(folded: string): { readonly first: string; readonly last: string } {
  const prefix = prefixHex(folded);
  return { first: prefix.padEnd(2 * KEY_BYTES, "0"), last: prefix.padEnd(2 * KEY_BYTES, "f") };
}

function prefixHex(folded: string): string {
  return Buffer.from(folded).subarray(0, PREFIX_BYTES).toString("hex");
}
