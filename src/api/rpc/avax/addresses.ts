/** Parses addresses of the C-chain's atomic side, with the checks of each VM in its order. */

import { type AddressRules, parseAddress, splitAddress } from "../../../base/bytes/address.ts";
import { formatId, parseFixed } from "../../../base/bytes/cb58.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import { echoed, quoteText } from "../../../base/text/go-text.ts";
import { RpcError } from "../errors.ts";
import type { RpcContext } from "../method.ts";
import { chainAliases } from "../service.ts";
import type { Dialect } from "./dialect.ts";

const ADDRESS_BYTES = 20;

/** Parses 20 bytes in cb58, or an address on the C-chain. `wrap` adds to the cause what could not be parsed. */
export type AddressParser = (text: string, wrap: (cause: string) => string) => ShortId;

export async function addressParser(dialect: Dialect, context: RpcContext): Promise<AddressParser> {
  const aliases = await chainAliases(context);
  const rules = { hrp: context.network.hrp, resolveAlias: (alias: string) => aliases.get(alias), chainId: context.chain.chainId };
  const parse = dialect === "coreth" ? corethAddress : saevmAddress;
  return (text, wrap) => {
    const bare = bareAddress(text);
    if (bare !== undefined) return bare;
    try {
      return parse(text, rules);
    } catch (error) {
      throw error instanceof TextError ? new RpcError(wrap(error.message)) : error;
    }
  };
}

function bareAddress(text: string): ShortId | undefined {
  try {
    return parseFixed(text, ADDRESS_BYTES);
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}

type ChainRules = AddressRules & { readonly chainId: Id };

function corethAddress(text: string, rules: ChainRules): ShortId {
  const { chainId, address } = parseAddress(text, rules);
  if (chainId === rules.chainId) return address;
  throw new TextError("address-chain", `expected chainID to be ${quotedId(rules.chainId)} but was ${quotedId(chainId)}`);
}

function saevmAddress(text: string, rules: ChainRules): ShortId {
  const { hrp, chainAlias, bytes } = splitAddress(text);
  if (hrp !== rules.hrp) throw new TextError("address-hrp", `expected hrp ${quoteText(rules.hrp)} but got ${quoteText(hrp)}`);
  const chainId = rules.resolveAlias(chainAlias);
  if (chainId === undefined) throw new TextError("address-alias", `there is no ID with alias: ${echoed(chainAlias)}`);
  if (chainId !== rules.chainId) {
    throw new TextError("address-chain", `expected chainID ${quotedId(rules.chainId)} but got ${quotedId(chainId)}`);
  }
  if (bytes.length !== ADDRESS_BYTES) {
    throw new TextError("address-length", `invalid hash length: expected ${ADDRESS_BYTES} bytes but got ${bytes.length}`);
  }
  return bytes.toString("hex");
}

function quotedId(id: Id): string {
  return quoteText(formatId(id));
}
