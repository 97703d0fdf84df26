/**
 * Shared memory (chain-rules 16). Table IDs 180–199. The direction is (destination ← source): the destination reads and removes,
 * the source puts.
 */
import { bool, bytes, list, u64 } from "../primitives/codec/codec.ts";
import { id, shortId } from "../primitives/columns.ts";
import { table } from "../primitives/table.ts";

/**
 * Elements on their way. `isTombstone`: removed before it was put (chains may be executed in any interleaving); the later put
 * deletes the tombstone and stores nothing. `bytes` is the element as the exporter wrote it (a UTXO *with* codec version).
 */
export const sharedElements = table({
  id: 180,
  name: "shared_elements",
  key: { destination: id, source: id, key: id },
  value: { isTombstone: bool, bytes, traits: list(shortId) },
});

/** The elements by address. Serves atomic getUTXOs; a page costs O(page). */
export const sharedByAddress = table({
  id: 181,
  name: "shared_by_address",
  key: { destination: id, source: id, address: shortId, key: id },
  value: { bytes },
});

/** Accepted atomic transactions of the C-chain: `bytes` is the signed transaction with codec version. */
export const atomicTxs = table({ id: 182, name: "atomic_txs", key: { txId: id }, value: { height: u64, blockId: id, bytes } });

/** Progress of the C-chain, one row (slot = C-chain ID). Resident. */
export const evmChain = table({
  id: 183,
  name: "evm_chain",
  key: { chainId: id },
  value: { height: u64, lastAccepted: id, timestamp: u64 },
});
