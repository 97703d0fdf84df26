/** Decimal texts of the API, for people. Digits are moved, not computed. */

/** `1,234.5` for `1234.500`. */
export function decimalText(text: string): string {
  const [whole = "0", fraction = ""] = text.split(".");
  const rest = fraction.replace(/0+$/, "");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest === "" ? "" : `.${rest}`);
}

/** A ratio in percent with two decimals, rounded down: `12.34` for `0.12345`. */
export function percentOfRatio(ratio: string): string {
  const [whole = "0", fraction = ""] = ratio.split(".");
  const digits = fraction.padEnd(4, "0");
  return `${BigInt(whole + digits.slice(0, 2))}.${digits.slice(2, 4)}`;
}
