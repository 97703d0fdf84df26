/** The integer approximation of minPrice · e^(excess / K), used for gas and L1 fees (chain-rules 7.3). */
import { MAX_U64 } from "../../base/bytes/amount.ts";

export function exponentialPrice(minPrice: bigint, excess: bigint, conversionConstant: bigint): bigint {
  if (excess === 0n) return minPrice;
  const limit = conversionConstant * MAX_U64;
  let term = minPrice * conversionConstant;
  let sum = 0n;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    if (sum >= limit) return MAX_U64;
    term = (term * excess) / conversionConstant / i;
  }
  return sum / conversionConstant;
}
