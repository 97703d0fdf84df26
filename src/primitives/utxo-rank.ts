const LAST = (1n << 64n) - 1n;

/**
 * Place of a UTXO in lists of addresses, which show the newest first (rpc-avm-info-health 3.6): ascends against the order of acceptance.
 * @param position grows with every block and vertex of the chain; 0 is genesis
 */
export function utxoRank(position: bigint): bigint {
  return LAST - position;
}
