/** UTXOs of the primary network, for the Data API. Table IDs 200–219. */
import { bool, bytes, optional, u8, u32, u64 } from "../../primitives/codec/codec.ts";
import { struct } from "../../primitives/codec/struct.ts";
import { id } from "../../primitives/columns.ts";
import { table } from "../../primitives/table.ts";

/** Values of `reward`. */
export const NO_REWARD = 0;
export const VALIDATOR_REWARD = 1;
export const DELEGATOR_REWARD = 2;
export const VALIDATOR_FEE_REWARD = 3;

/**
 * Every UTXO that ever was, spent ones included: on P, X and in shared memory. Staked outputs are here from their transaction on; an exported
 * output is one row, with two chains.
 */
export const utxoRecords = table({
  id: 200,
  name: "utxo_records",
  key: { utxoId: id },
  value: {
    /** the UTXO without codec version, in the codec of the chain `createdOn` */
    bytes,
    /** P, X, C as 0, 1, 2: whose transaction made it */
    createdOn: u8,
    /** who can consume it: `createdOn`, or the destination of an export */
    consumedOn: u8,
    /** height on `createdOn`; for a reward, of the block that paid it */
    height: u64,
    /** Unix seconds, of that block */
    timestamp: u64,
    reward: u8,
    /** while and after it is a stake: block time of the staking transaction and end of the staking period, Unix seconds */
    stake: optional(struct({ start: u64, end: u64, isActive: bool })),
    /** `inputIndex`: among all inputs of the consuming transaction, imported ones after its own; `chain`: where it was consumed */
    spent: optional(struct({ txId: id, chain: u8, height: u64, timestamp: u64, inputIndex: u32 })),
  },
});
