/** Addresses as text: `<chain>-<bech32>`, or plain cb58 of 20 bytes (chain-formats 2.4). */

import { Recent } from "../collections/bounded-cache.ts";
import { TextError } from "../errors/text-error.ts";
import { echoed, quoteText } from "../text/go-text.ts";
import { decodeBech32, encodeBech32Bytes } from "./bech32.ts";
import { formatId, parseFixed } from "./cb58.ts";
import type { Id, ShortId } from "./id.ts";

const ADDRESS_BYTES = 20;

/** Encoded addresses by human-readable part, of which a process uses one. */
const encoded = new Map<string, Recent<ShortId, string>>();

/** The bech32 text without a chain prefix. */
export function encodeBech32(hrp: string, address: ShortId): string {
  let recent = encoded.get(hrp);
  if (recent === undefined) {
    recent = new Recent(20_000);
    encoded.set(hrp, recent);
  }
  let text = recent.get(address);
  if (text === undefined) {
    text = encodeBech32Bytes(hrp, Buffer.from(address, "hex"));
    recent.set(address, text);
  }
  return text;
}

export function formatAddress(chainAlias: string, hrp: string, address: ShortId): string {
  return `${chainAlias}-${encodeBech32(hrp, address)}`;
}

export interface AddressRules {
  readonly hrp: string;
  /** The chain with that alias; a chain's ID counts as an alias. undefined if there is none. */
  resolveAlias(alias: string): Id | undefined;
}

interface AddressParts {
  readonly chainAlias: string;
  readonly hrp: string;
  readonly bytes: Buffer;
}

/** Clients ask for the same addresses repeatedly. Addresses are short texts; longer ones are not cached. */
const split = new Recent<string, AddressParts>(20_000);
const LONGEST_KEPT = 160;

/** Splits at the first `-` and decodes the bech32 after it. Does not check the network. */
export function splitAddress(text: string): AddressParts {
  const kept = split.get(text);
  if (kept !== undefined) return kept;
  const separator = text.indexOf("-");
  if (separator === -1) throw new TextError("address-separator", "no separator found in address");
  const parts = { chainAlias: text.slice(0, separator), ...decodeBech32(text.slice(separator + 1)) };
  if (text.length <= LONGEST_KEPT) split.set(text, parts);
  return parts;
}

/** Parses `<alias>-<bech32>`. Checks are in the node's order: bech32, alias, human-readable part, length. */
export function parseAddress(text: string, { hrp, resolveAlias }: AddressRules): { chainId: Id; address: ShortId } {
  const parts = splitAddress(text);
  const chainId = resolveAlias(parts.chainAlias);
  if (chainId === undefined) throw new TextError("address-alias", `there is no ID with alias: ${echoed(parts.chainAlias)}`);
  if (parts.hrp !== hrp) throw new TextError("address-hrp", `expected hrp ${quoteText(hrp)} but got ${quoteText(parts.hrp)}`);
  if (parts.bytes.length !== ADDRESS_BYTES) {
    throw new TextError("address-length", `invalid hash length: expected ${ADDRESS_BYTES} bytes but got ${parts.bytes.length}`);
  }
  return { chainId, address: parts.bytes.toString("hex") };
}

/** Parses an address parameter of the API: plain cb58 of 20 bytes, or an address on `chainId`. An error has the node's whole text. */
export function parseServiceAddress(text: string, rules: AddressRules & { readonly chainId: Id }): ShortId {
  try {
    // base58 has no hyphen, and creating an error costs more than parsing an address
    if (!text.includes("-")) return parseFixed(text, ADDRESS_BYTES);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
  }
  try {
    const { chainId, address } = parseAddress(text, rules);
    if (chainId === rules.chainId) return address;
    const [expected, actual] = [quoteText(formatId(rules.chainId)), quoteText(formatId(chainId))];
    throw new TextError("address-chain", `mismatched chainIDs: expected ${expected} but got ${actual}`);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new TextError(error.category, `couldn't parse address ${quoteText(text)}: ${error.message}`);
  }
}
