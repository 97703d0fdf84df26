/** Exact decimal texts of quotients. */

/** Formats nAVAX as AVAX: "6786.673898334". */
export function avaxText(nAvax: bigint): string {
  return decimalText(nAvax, 1_000_000_000n, 9).replace(/\.?0+$/, "");
}

/** Returns `digits` decimals, cut off, not rounded. */
export function decimalText(dividend: bigint, divisor: bigint, digits: number): string {
  const scaled = (dividend * 10n ** BigInt(digits)) / divisor;
  const sign = scaled < 0n ? "-" : "";
  const text = `${scaled < 0n ? -scaled : scaled}`.padStart(digits + 1, "0");
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
