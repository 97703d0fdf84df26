/**
 * Reads a token list as defined by tokenlists.org: names, symbols and logos. In addition, `extensions.reputation` may be `Malicious` or
 * `Benign`.
 */

import type { JsonInput } from "../../base/json/json-input.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { readAddress } from "./label-file.ts";
import type { TokenLabel } from "./labels.ts";

const MAX_DECIMALS = 255n;
const REPUTATIONS = ["Malicious", "Benign"] as const;

/** Returns the tokens of one chain; entries of other chains are not checked. */
export function readTokenList(file: JsonInput, evmChainId: bigint): ReadonlyMap<Address, TokenLabel> {
  const labels = new Map<Address, TokenLabel>();
  for (const token of file.member("tokens").list()) {
    if (token.member("chainId").integer() !== evmChainId) continue;
    const address = readAddress(token.member("address"));
    if (labels.has(address)) throw token.member("address").wrong("each address once for a chain");
    labels.set(address, readToken(token));
  }
  return labels;
}

function readToken(token: JsonInput): TokenLabel {
  const logoUri = token.optionalMember("logoURI")?.text();
  const reputation = token.optionalMember("extensions")?.optionalMember("reputation");
  const known = REPUTATIONS.find((each) => each === reputation?.value);
  if (reputation !== undefined && known === undefined) throw reputation.wrong("Malicious or Benign");
  return {
    name: token.member("name").text(),
    symbol: token.member("symbol").text(),
    decimals: Number(token.member("decimals").integer(MAX_DECIMALS)),
    ...(logoUri !== undefined && { logoUri }),
    ...(known !== undefined && { reputation: known }),
  };
}
