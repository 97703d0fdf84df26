/** Finds tokens of a chain by the beginning of their name or symbol. */

import { foldedName, nameKey, namePrefixRange } from "../../../../base/bytes/folded-name.ts";
import type { TableKey } from "../../../../base/table/table.ts";
import { evmTokenNames } from "../../../../evm/index/token-tables.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { type EvmReading, formatAddress, Tokens } from "../present-token.ts";
import { knownTokens, typeOf } from "./known-tokens.ts";
import type { TokenType } from "./schemas.ts";

/** Anyone can give thousands of tokens the same name, or names that only begin alike. So many are looked at. */
const MOST_LOOKED_AT = 200;

export interface NamedToken {
  readonly address: string;
  readonly ercType: TokenType;
  /** as clients see them: the operator's list counts before the contract. Empty: none */
  readonly name: string;
  readonly symbol: string;
  readonly logoUri?: string;
}

/**
 * The operator's tokens come first, then those that are called exactly so, then the others; of tokens with the same name the one that was
 * met first. Tokens that the operator calls malicious are not found by name. Costs five rows for each token that is looked at.
 * @param folded as `foldedName` makes it, not empty
 */
export async function tokensByName(folded: string, limit: number, context: EvmReading): Promise<NamedToken[]> {
  const { labels } = context.evmChain;
  const found: NamedToken[] = [];
  const seen = new Set<Address>();
  for await (const candidates of candidatesOf(folded, limit, context)) {
    const fresh = [...new Set(candidates)].filter((token) => !seen.has(token) && labels.token(token)?.reputation !== "Malicious");
    for (const token of fresh) seen.add(token);
    const known = await knownTokens(fresh, context);
    const tokens = await Tokens.read({ addresses: known.map(({ token }) => token) }, context);
    for (const each of known) {
      const { name, symbol, logoUri } = tokens.erc20(each.token);
      if (![name, symbol].some((text) => foldedName(text).startsWith(folded))) continue;
      found.push({ address: formatAddress(each.token), ercType: typeOf(each), name, symbol, ...(logoUri !== undefined && { logoUri }) });
    }
    if (found.length >= limit) return found.slice(0, limit);
  }
  return found;
}

/** Addresses in the order in which they are shown, with repetitions. */
async function* candidatesOf(folded: string, limit: number, { reader, evmChain }: EvmReading): AsyncGenerator<readonly Address[]> {
  const { chain, labels } = evmChain;
  yield labels.tokensNamed(folded, MOST_LOOKED_AT);
  const exact = await reader.scan(evmTokenNames, { prefix: { chain, name: nameKey(folded) }, limit });
  yield exact.map(({ key }) => key.token);
  const { first, last } = namePrefixRange(folded);
  let after: Partial<TableKey<typeof evmTokenNames>> | undefined;
  for (let lookedAt = 0; lookedAt < MOST_LOOKED_AT; lookedAt += limit) {
    const start = after === undefined ? { from: { name: first } } : { after };
    const rows = (await reader.scan(evmTokenNames, { prefix: { chain }, ...start, limit })).filter(({ key }) => key.name <= last);
    yield rows.map(({ key }) => key.token);
    if (rows.length < limit) return;
    const { name, height, token } = rows.at(-1)!.key;
    after = { name, height, token };
  }
}
