/** How much of the possible was used: `21,000 of 8,000,000 (0.26 %)`. */
export function shareOf(part: string | bigint, whole: string | bigint): string {
  const all = BigInt(whole);
  if (all === 0n) return "0 %";
  const hundredths = (BigInt(part) * 10_000n) / all;
  const fraction = `${hundredths % 100n}`.padStart(2, "0").replace(/0+$/, "");
  const share = `${hundredths / 100n}${fraction === "" ? "" : `.${fraction}`}`;
  return hundredths === 0n && BigInt(part) > 0n ? "< 0.01 %" : `${share} %`;
}
