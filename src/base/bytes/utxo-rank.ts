const LAST = (1n << 64n) - 1n;

/**
 * Sort key of a UTXO in lists of addresses, which start with the newest (rpc-avm-info-health 3.6): it decreases with the order of
 * acceptance.
 * @param position increases with every block and vertex of the chain; 0 is genesis
 */
export function utxoRank(position: bigint): bigint {
  return LAST - position;
}
