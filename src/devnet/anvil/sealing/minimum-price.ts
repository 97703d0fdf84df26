import { exponentialPrice } from "../../../chains/platform/complexity.ts";

/**
 * The minimum gas price of the C-chain since Helicon (ACP-283). Blocks carry an exponent, which each may move a little towards the price that
 * its builder wants: it takes 3,600 blocks to double the price.
 */

/** U64 / ln(U64): exponents of all prices that fit into 64 bits do, too */
const CONVERSION = 415_828_534_307_635_077n;
const TO_DOUBLE = 288_230_376_151_711_744n;
const BLOCKS_TO_DOUBLE = 3_600n;
const MOST_MOVE = TO_DOUBLE / BLOCKS_TO_DOUBLE;
const MOST_EXPONENT = 2n ** 64n - 1n - 37n;
const MOST_EXCESS = 2n ** 64n - 1n;
/** Gas per second that the chain aims at, and seconds in which the price rises by a factor of e while twice that is used (ACP-176). */
const TARGET = 1_000_000n;
const EXCESS_CONVERSION = 87n * TARGET;

/** In aAVAX per gas. */
export function priceOf(exponent: bigint): bigint {
  return exponentialPrice(1n, exponent, CONVERSION);
}

/** The least exponent with at least this price. @param price aAVAX per gas, from 1 on */
export function exponentFor(price: bigint): bigint {
  return least(MOST_EXPONENT, (exponent) => priceOf(exponent) >= price);
}

/** The exponent of a block after one with `exponent`. @param wanted undefined: its builder wants no other */
export function nextExponent(exponent: bigint, wanted = exponent): bigint {
  const move = wanted > exponent ? wanted - exponent : exponent - wanted;
  const moved = move < MOST_MOVE ? move : MOST_MOVE;
  return wanted > exponent ? exponent + moved : exponent - moved;
}

/** The excess of gas by which the chain has this price, if any has exactly it; else the largest with a lower one. */
export function excessFor(price: bigint): bigint {
  if (price <= 1n) return 0n;
  const excess = least(MOST_EXCESS, (one) => exponentialPrice(1n, one, EXCESS_CONVERSION) >= price);
  return exponentialPrice(1n, excess, EXCESS_CONVERSION) > price ? excess - 1n : excess;
}

/** The least number below `end` that passes, or `end`. Every number above one that passes must pass. */
function least(end: bigint, passes: (number: bigint) => boolean): bigint {
  let [low, high] = [0n, end];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (passes(middle)) high = middle;
    else low = middle + 1n;
  }
  return low;
}
