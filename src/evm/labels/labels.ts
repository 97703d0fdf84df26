/** Names, prices and methods that no chain tells. */
import type { Address } from "../block.ts";
import type { CurrencyCode } from "./currencies.ts";

/** What the operator's files and the bundled list of signatures say. */
export interface EvmLabels {
  token(address: Address): TokenLabel | undefined;
  /** of one whole token; undefined: unpriced. `"native"` is the chain's own */
  price(token: Address | "native", currency: CurrencyCode): number | undefined;
  /**
   * `transfer(address,uint256)`
   * @param selector eight digits of hex without `0x`
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
