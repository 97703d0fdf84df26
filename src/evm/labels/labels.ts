/** Names, prices and methods that do not come from the chain. */
import type { Address } from "../../sources/evm/parser/block.ts";
import type { CurrencyCode } from "./currencies.ts";

/** The content of the operator's files and the built-in list of signatures. */
export interface EvmLabels {
  token(address: Address): TokenLabel | undefined;
  /** What the operator calls an account or a contract. */
  name(address: Address): string | undefined;
  /** Addresses that the operator gave a name which begins so, in order of these. @param folded as `foldedName` makes it */
  addressesNamed(folded: string, limit: number): readonly Address[];
  /** Tokens whose name or symbol begins so, in order of these. @param folded as `foldedName` makes it */
  tokensNamed(folded: string, limit: number): readonly Address[];
  /** Price of one whole token; undefined: unknown. `"native"` is the chain's own token. */
  price(token: Address | "native", currency: CurrencyCode): number | undefined;
  /**
   * Returns a signature such as `transfer(address,uint256)`.
   * @param selector eight hex digits without `0x`
   * @param contract whose ABI the operator may have given
   */
  methodName(selector: string, contract: Address): string | undefined;
}

export interface TokenLabel {
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
  readonly logoUri?: string;
  readonly reputation?: "Malicious" | "Benign";
}
