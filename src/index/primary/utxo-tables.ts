/** UTXOs of the primary network, for the Data API. Table IDs 200–209. */
import { bool, bytes, optional, u8, u32, u64 } from "../../primitives/codec/codec.ts";
import { struct } from "../../primitives/codec/struct.ts";
import { id, shortId } from "../../primitives/columns.ts";
import { table } from "../../primitives/table.ts";

/** Values of `reward`. */
export const NO_REWARD = 0;
export const VALIDATOR_REWARD = 1;
export const DELEGATOR_REWARD = 2;
export const VALIDATOR_FEE_REWARD = 3;

const spent = struct({
  /** the empty ID if the store does not hold the chain that consumed it */
  txId: id,
  chain: u8,
  height: u64,
  timestamp: u64,
  inputIndex: u32,
});

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
    spent: optional(spent),
  },
});

/** Imports of outputs whose export has not been executed in this store: the export takes it up. */
export const pendingSpends = table({ id: 201, name: "pending_spends", key: { utxoId: id }, value: { spent } });

/**
 * The owner groups (`owner-group.ts`) that name an address, by chain. Serves every query by addresses; a read costs O(groups), mostly one, and
 * leaves out those that take more signatures than there are addresses asked for.
 */
export const groupsByAddress = table({
  id: 202,
  name: "groups_by_address",
  key: { chain: u8, address: shortId, threshold: u32, groupId: shortId },
  value: {},
});

/** What is known of an owner group on a chain. */
export const ownerGroups = table({
  id: 203,
  name: "owner_groups",
  key: { chain: u8, groupId: shortId },
  value: {
    /** newest creation or consumption of one of its UTXOs, Unix seconds; which, and what of the two */
    lastActivity: u64,
    utxoId: id,
    isConsumed: bool,
    /** bit c is set: the group has or had UTXOs of amount class c (`amountClass`) */
    amountClasses: u64,
  },
});

/**
 * UTXO lists by creation time. `listId` is an owner group, or what of it a filter leaves (`owner-group.ts`); spent and unspent UTXOs are
 * apart, so that a UTXO is in one of the two. A page costs O(page) per list.
 */
export const utxosByTime = table({
  id: 204,
  name: "utxos_by_time",
  key: { chain: u8, listId: shortId, isSpent: bool, timestamp: u64, utxoId: id },
  value: {},
});

/** The same lists by amount. */
export const utxosByAmount = table({
  id: 205,
  name: "utxos_by_amount",
  key: { chain: u8, listId: shortId, isSpent: bool, amount: u64, utxoId: id },
  value: { timestamp: u64 },
});

/** The same lists by class of amount, and by creation time within the class: for a least amount under the order of time. */
export const utxosByClass = table({
  id: 206,
  name: "utxos_by_class",
  key: { chain: u8, listId: shortId, isSpent: bool, amountClass: u8, timestamp: u64, utxoId: id },
  value: { amount: u64 },
});
