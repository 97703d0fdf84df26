/** The P-chain's one number space of types (chain-formats 6.1). */

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** What a transaction's codec knows: everything but blocks. */
export const txTypeIds: ReadonlySet<number> = new Set([5, 7, ...range(9, 28), ...range(33, 42)]);

export const blockTypeIds: ReadonlySet<number> = new Set([...txTypeIds, ...range(0, 4), ...range(29, 32)]);
