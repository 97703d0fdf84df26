/** UTXOs of the primary network, for the Data API. Table IDs 200–209. */
import { bool, bytes, list as listOf, optional, rest, struct, u8, u16, u32, u64 } from "../../../base/codec/codec.ts";
import { id, shortId, table } from "../../../base/table/table.ts";

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
 * Every UTXO that ever existed on P, X and in shared memory, spent ones included. Staked outputs are here from their transaction on. An
 * exported output is one row that names two chains.
 */
export const utxoRecords = table({
  id: 200,
  name: "utxo_records",
  key: { utxoId: id },
  value: {
    /** the UTXO without codec version, in the codec of the chain `createdOn` */
    bytes,
    /** the chain whose transaction created it; P, X, C are 0, 1, 2 */
    createdOn: u8,
    /** the chain that can consume it: `createdOn`, or the destination of an export */
    consumedOn: u8,
    /** height on `createdOn`; for a reward, of the block that paid it */
    height: u64,
    /** Unix seconds, of that block */
    timestamp: u64,
    reward: u8,
    /** Set once it was staked: block time of the staking transaction and end of the staking period, Unix seconds */
    stake: optional(struct({ start: u64, end: u64, isActive: bool })),
    /** `inputIndex`: among all inputs of the consuming transaction, imported ones last; `chain`: where it was consumed */
    spent: optional(spent),
  },
});

/** Imports of outputs whose export this store has not executed yet. The export then creates them as spent. */
export const pendingSpends = table({ id: 201, name: "pending_spends", key: { utxoId: id }, value: { spent } });

/**
 * The owner groups (`owner-group.ts`) that name an address, by chain; without that of the address alone, whose ID follows from the address,
 * unless the address was only ever the recipient of an import from the chain. Serves every query by addresses. A read costs O(groups), mostly one,
 * and leaves out groups whose threshold exceeds the number of queried addresses.
 */
export const groupsByAddress = table({
  id: 202,
  name: "groups_by_address",
  key: { chain: u8, address: shortId, threshold: u32, groupId: shortId },
  value: {},
});

/** A list of UTXOs (`utxo-lists.ts`). */
const list = {
  /** UTXOs that are or were in it; above MEDIUM, one more than MEDIUM */
  size: u16,
  /** bit c is set: it has or had UTXOs of amount class c (`amountClass`) */
  amountClasses: u64,
  /** those of its UTXOs that come last in time, at most SHORT (`packed-utxos.ts`); the others are in `utxos_by_time` */
  short: bytes,
};

/** A creation or consumption of a UTXO. `timestamp`: Unix seconds */
const activity = { timestamp: u64, utxoId: id, isConsumed: bool };

/** The newest activities of an owner group on a chain, and its own list. */
export const ownerGroups = table({
  id: 203,
  name: "owner_groups",
  key: { chain: u8, groupId: shortId },
  value: {
    /** the last of those that no later one of as much or more follows (`activity.ts`); the last one is the newest of all */
    activities: listOf(struct({ amount: u64, ...activity })),
    ...list,
  },
});

/** The others, for the last activity with UTXOs of a least amount: that of the smallest `amount` which is enough. A read costs O(1). */
export const earlierActivities = table({
  id: 208,
  name: "earlier_activities",
  key: { chain: u8, groupId: shortId, amount: u64 },
  value: activity,
});

/**
 * Further lists (`owner-group.ts`): those of an owner group on the X-chain of one asset, and of all assets but AVAX; and those that a list of
 * more than MEDIUM, or the whole chain, has of each class of amount. The latter serve `minAmount` in order of time.
 */
export const ownerAssets = table({ id: 207, name: "owner_assets", key: { chain: u8, listId: shortId }, value: list });

/**
 * Lists of more than SHORT by creation time, up to SHORT UTXOs to a row. The key has the first one. `listId` is an owner group or one of the
 * lists in `owner_assets`; the last UTXOs of each are in its own row (`packed-list.ts`). `isSpent`: all of the row's UTXOs are spent. The row changes when one
 * of them is. A page costs O(page) per list.
 */
export const utxosByTime = table({
  id: 204,
  name: "utxos_by_time",
  key: { chain: u8, listId: shortId, isSpent: bool, timestamp: u64, utxoId: id },
  value: { packed: rest },
});

/** Lists of more than MEDIUM, and the whole chain's, by amount. Spent and unspent UTXOs are separate ranges. */
export const utxosByAmount = table({
  id: 205,
  name: "utxos_by_amount",
  key: { chain: u8, listId: shortId, isSpent: bool, amount: u64, utxoId: id },
  value: { timestamp: u64 },
});
