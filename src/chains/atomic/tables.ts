/** Tables of the C-chain's atomic side (chain-rules 16). Table IDs 180–199 are shared with shared memory. */
import { bytes, u64 } from "../../base/codec/codec.ts";
import { id, table } from "../../base/table/table.ts";

/** Accepted atomic transactions of the C-chain. `bytes` is the signed transaction with its codec version. */
export const atomicTxs = table({ id: 182, name: "atomic_txs", key: { txId: id }, value: { height: u64, blockId: id, bytes } });

/**
 * Progress of the C-chain, and of each L1's chain that runs. Before the first block `lastAccepted` is the empty ID: Firn does not compute
 * block 0. Resident.
 */
export const evmTips = table({
  id: 183,
  name: "evm_chain",
  key: { chainId: id },
  value: { height: u64, lastAccepted: id, timestamp: u64 },
});
