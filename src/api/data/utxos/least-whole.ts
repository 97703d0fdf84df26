/** Parses amounts in requests: numbers as clients write them, exact beyond the range of a `number`. */
import Type from "typebox";

export const AMOUNT_TEXT = /^([0-9]{1,30})(?:\.([0-9]{1,30}))?(?:[eE]([+-]?[0-9]{1,2}))?$/;

export const minAmountQuery = {
  // a text, so that amounts above 2^53 are exact
  minUtxoAmount: Type.Optional(
    Type.String({
      title: "a number from 0 on",
      pattern: AMOUNT_TEXT.source,
      description: "Minimum amount of a UTXO, in the asset's smallest unit. 0 when absent.",
    }),
  ),
};

/** The smallest integer that is not below the number. */
export function leastWhole(text: string): bigint {
  const [, whole, fraction = "", exponent = "0"] = AMOUNT_TEXT.exec(text)!;
  const digits = BigInt(whole + fraction);
  const scale = Number(exponent) - fraction.length;
  if (scale >= 0) return digits * 10n ** BigInt(scale);
  const unit = 10n ** BigInt(-scale);
  return (digits + unit - 1n) / unit;
}
