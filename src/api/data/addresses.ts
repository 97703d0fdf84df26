/**
 * Parses addresses in requests: a comma-separated list of bech32 texts of this network, with or without `P-`, `X-` or `C-`, and `0x…` where
 * a route accepts EVM addresses. Returns each address once as hex of 20 bytes, in the order of the request.
 */

import { decodeBech32 } from "../../base/bytes/bech32.ts";
import type { ShortId } from "../../base/bytes/id.ts";
import { Recent } from "../../base/collections/bounded-cache.ts";
import { TextError } from "../../base/errors/text-error.ts";
import type { DataContext } from "./context.ts";
import { badRequest } from "./errors.ts";
import { shown } from "./ids.ts";
import { splitCsv } from "./paging.ts";

/** by GET */
export const MAX_ADDRESSES_GET = 64;
/** by POST */
export const MAX_ADDRESSES_POST = 1024;

interface AddressListRules {
  readonly max: number;
  /** whether `0x` and 40 hex digits are accepted too */
  readonly allowsEvm?: boolean;
  /** name of the parameter in messages; "addresses" by default */
  readonly name?: string;
}

/** A list that is sent must name at least one address. The route's schema says whether it must be sent. */
export function parseAddresses(list: string, { network }: Pick<DataContext, "network">, rules: AddressListRules): ShortId[] {
  const { max, name = "addresses", allowsEvm = false } = rules;
  const texts = splitCsv(list);
  if (texts.length === 0) throw badRequest(`${name} must name at least one address, got ${shown(list)}`);
  const addresses = new Set<ShortId>();
  for (const text of texts) {
    addresses.add(parseOne(text, network.hrp, name, allowsEvm));
    // the rest of a list that is too long is not parsed
    if (addresses.size > max) throw badRequest(`${name} must name at most ${max} addresses, got more`);
  }
  return [...addresses];
}

const ADDRESS_BYTES = 20;
const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Clients send the same addresses again and again, so results are kept; refused texts are not. */
const known = new Recent<string, ShortId>(20_000);

function parseOne(text: string, hrp: string, name: string, allowsEvm: boolean): ShortId {
  const key = `${hrp} ${text}`;
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  if (text.startsWith("0x")) {
    if (allowsEvm && EVM_ADDRESS.test(text)) return text.slice(2).toLowerCase();
    throw refused(name, text, allowsEvm ? `${hrp}1… or 0x and 40 hex digits` : `${hrp}1…, no EVM address`);
  }
  const decoded = decoded32(text.replace(/^[PXC]-/, ""));
  if (typeof decoded === "string") throw refused(name, text, `${hrp}1…, with or without P-, X- or C-; ${decoded}`);
  if (decoded.hrp !== hrp) throw refused(name, text, `${hrp}1… on this network; this one is of a network with the prefix ${decoded.hrp}`);
  if (decoded.bytes.length !== ADDRESS_BYTES) {
    throw refused(name, text, `the bech32 text of ${ADDRESS_BYTES} bytes; this one has ${decoded.bytes.length}`);
  }
  const address = decoded.bytes.toString("hex");
  known.set(key, address);
  return address;
}

/** Decodes bech32, or returns what is wrong with the text. */
function decoded32(text: string): { hrp: string; bytes: Buffer } | string {
  try {
    return decodeBech32(text);
  } catch (error) {
    if (error instanceof TextError) return error.message;
    throw error;
  }
}

function refused(name: string, text: string, wanted: string) {
  return badRequest(`Invalid address format in ${name}: ${shown(text)} must be ${wanted}`);
}
