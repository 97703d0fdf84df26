/** Reads the operator's files: JSON, each member checked, errors name the file and what would be right. */
import { readFile } from "node:fs/promises";
import { FirnError } from "../../primitives/errors.ts";
import { formatEvmAddress } from "../../primitives/evm-address.ts";
import { JsonInput } from "../../primitives/json-input.ts";
import type { Address } from "../block.ts";

/** @param what the file is, as a sentence calls it: `a token list` */
export async function readLabelFile(path: string, what: string): Promise<JsonInput> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new FirnError("label-file", `${path} cannot be read (${error.message}); name a file with ${what}`, { path }, { cause: error });
  });
  try {
    return new JsonInput(JSON.parse(text), path);
  } catch (error) {
    throw new FirnError("label-file", `${path} is no JSON (${(error as Error).message}); use ${what} in JSON`, { path }, { cause: error });
  }
}

/** Of any case; with capitals and small letters it must be EIP-55's, so that slips are found. */
export function readAddress(input: JsonInput): Address {
  const text = input.text();
  if (!isAddress(text)) throw input.wrong("an address: 0x and 40 hex digits");
  const address = text.slice(2).toLowerCase();
  const isMixed = /[a-f]/.test(text.slice(2)) && /[A-F]/.test(text);
  if (isMixed && formatEvmAddress(address) !== text) throw input.wrong(`${formatEvmAddress(address)} if that is meant, or small letters`);
  return address;
}

export function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text);
}

/** The members of an object, each under its name. */
export function entriesOf(input: JsonInput): [name: string, value: JsonInput][] {
  const { value } = input;
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw input.wrong("an object");
  return Object.keys(value).map((name) => [name, input.member(name)]);
}
