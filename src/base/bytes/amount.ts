/** Unsigned 64-bit amounts as bigint. */

export const MAX_U64 = 2n ** 64n - 1n;

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** `a - b`, or 0 if that is negative. */
export function subtractToZero(a: bigint, b: bigint): bigint {
  return a < b ? 0n : a - b;
}
