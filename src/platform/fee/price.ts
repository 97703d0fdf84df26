/** The exponential price of gas and of L1 validators (chain-rules 7.3). */
import { MAX_U64 } from "../../primitives/amount.ts";

/**
 * The integer approximation of `minPrice · e^(excess / conversion)`: a Taylor series whose terms are rounded down one by one.
 * Part of consensus: the roundings matter.
 */
export function priceAt(minPrice: bigint, excess: bigint, conversion: bigint): bigint {
  if (excess === 0n) return minPrice;
  const limit = conversion * MAX_U64;
  let term = minPrice * conversion;
  let total = 0n;
  for (let i = 1n; term > 0n; i++) {
    total += term;
    if (total >= limit) return MAX_U64;
    term = (term * excess) / conversion / i;
  }
  return total / conversion;
}
