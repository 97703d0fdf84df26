/** Prices and values of balances. They are computed exactly, then rounded once to the nearest JSON number. */
import type { CurrencyCode } from "../../../evm/labels/currencies.ts";
import type { Money } from "./token-schemas.ts";

/** undefined: there is no price */
export function money(value: number | undefined, currencyCode: CurrencyCode): Money | undefined {
  return value === undefined || !Number.isFinite(value) ? undefined : { currencyCode, value };
}

/**
 * @param balance base units
 * @param decimals of the token
 * @param price of one whole token
 */
export function worth(balance: bigint, decimals: number, price: Money | undefined): Money | undefined {
  if (price === undefined) return undefined;
  const { digits, exponent } = decimalOf(price.value);
  return money(Number(`${balance * digits}e${exponent - decimals}`), price.currencyCode);
}

/** The shortest decimal of the number, as the operator wrote it: `digits` × 10^`exponent`. */
function decimalOf(value: number): { digits: bigint; exponent: number } {
  const [mantissa, exponent = "0"] = String(value).split("e");
  const [whole, fraction = ""] = mantissa!.split(".");
  return { digits: BigInt(`${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
}
