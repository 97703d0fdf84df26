/** Tables for what the development EVM holds besides blocks. Table IDs 80–89. */
import { bytes, u8, u32, u64 } from "../../base/codec/codec.ts";
import { id, shortId, table } from "../../base/table/table.ts";

/**
 * Changes of EVM accounts that no block explains, such as balances that a test set. They were made after the block at `height` and before the
 * next one, in the order of `index`, which counts from 0. A rebuilt EVM makes them again.
 */
export const evmEdits = table({
  id: 80,
  name: "evm_edits",
  key: { chainId: id, height: u64, index: u32 },
  value: {
    address: shortId,
    /** what was set: 0 balance (wei), 1 nonce, 2 code, 3 a slot of the storage */
    kind: u8,
    /** zero unless `kind` is 3 */
    slot: id,
    /** numbers: big-endian, without leading zeros; a slot's 32 bytes; or the code */
    data: bytes,
  },
});

/** Senders of transactions in blocks that nobody signed. A block's bytes do not tell them. `index`: the transaction's position in its block. */
export const evmSenders = table({
  id: 81,
  name: "evm_senders",
  key: { chainId: id, height: u64, index: u32 },
  value: { sender: shortId },
});

/**
 * Gas that a transaction was charged beyond what its EVM counted: on the C-chain since Helicon nothing is refunded, and at least half of the
 * gas limit is charged. Nothing is stored of transactions that were charged what was counted. `index`: the transaction's position in its
 * block. A rebuilt EVM charges it again.
 */
export const evmAddedGas = table({
  id: 82,
  name: "evm_added_gas",
  key: { chainId: id, height: u64, index: u32 },
  value: { gas: u64 },
});

/**
 * Exponents of the minimum gas price that blocks of the C-chain have since Helicon (ACP-283). A block without a row has 0. The next block's base
 * fee follows from it.
 */
export const evmPriceExponents = table({
  id: 83,
  name: "evm_price_exponents",
  key: { chainId: id, height: u64 },
  value: { exponent: u64 },
});
