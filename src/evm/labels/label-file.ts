/** Reads the operator's files. They are JSON; every member is checked, and an error names the file and what would be right. */

import { correctedChecksum } from "../../base/bytes/evm-address.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { readWholeFile } from "../../base/files/read-file.ts";
import { JsonInput } from "../../base/json/json-input.ts";
import type { Address } from "../../sources/evm/parser/block.ts";

/** @param what kind of file, for messages: `a token list` */
export async function readLabelFile(path: string, what: string): Promise<JsonInput> {
  const text = readText(path, what);
  try {
    return new JsonInput(JSON.parse(text), path);
  } catch (error) {
    throw new FirnError("label-file", `${path} is not JSON (${(error as Error).message}); use ${what} in JSON`, { path }, { cause: error });
  }
}

/** Large token lists have a few MB. */
const MAX_BYTES = 16 << 20;

function readText(path: string, what: string): string {
  try {
    return readWholeFile(path, MAX_BYTES).toString();
  } catch (error) {
    throw new FirnError("label-file", `${(error as Error).message}; name a file with ${what}`, { path }, { cause: error });
  }
}

/** Accepts any case. A mixed-case address must be EIP-55's, so that typos are found. */
export function readAddress(input: JsonInput): Address {
  const text = input.text();
  if (!isAddress(text)) throw input.wrong("an address: 0x and 40 hex digits");
  const right = correctedChecksum(text);
  if (right !== undefined) throw input.wrong(`${right} if that address is meant, or all lowercase`);
  return text.slice(2).toLowerCase();
}

export function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text);
}
