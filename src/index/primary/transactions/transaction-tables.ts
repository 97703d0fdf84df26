/**
 * Transactions, blocks and vertices of the primary network, for the Data API. Table IDs 220–239. A transaction costs one row for each L1
 * validator (P only) that it touches. The transactions of a block share rows of the chain's order and of each asset (X only), and those of an
 * address share rows of the address.
 */
import { bool, list, optional, rest, str, struct, u8, u16, u32, u64 } from "../../../base/codec/codec.ts";
import { id, shortId, table } from "../../../base/table/table.ts";

/** Class of the lists of an address that have all types. Other classes are in `transaction-classes.ts`. */
export const ANY_CLASS = 0;

/**
 * `list` of `address_lists`: 0, 1, 2 for P, X, C; 3 for the C-chain's transactions by the EVM accounts that they debit or credit.
 */
export const EVM_LIST = 3;

/**
 * Transactions of a chain in order, in groups of those of one block or vertex (`transaction-order.ts`). `group` numbers the groups in order
 * of acceptance, those of genesis first. A transaction that was proposed again is in two blocks, so it is listed twice.
 */
export const transactionOrder = table({
  id: 220,
  name: "transaction_order",
  key: { chain: u8, timestamp: u64, group: u32 },
  /** `txIds`: at most `GROUP_SIZE` IDs, one after the other */
  value: { height: u64, txIds: rest },
});

/** The next group of each chain. Resident. */
export const transactionGroups = table({ id: 221, name: "transaction_groups", key: { chain: u8 }, value: { next: u32 } });

/**
 * The last transactions of each list of an address (`address-lists.ts`). A transaction is listed under the address of each UTXO that it
 * consumes or produces. Lists of one class are kept for addresses whose list of any class has parts.
 */
export const addressLists = table({
  id: 233,
  name: "address_lists",
  key: { list: u8, address: shortId, class: u8 },
  /** `hasParts`: it has rows in `address_transactions`. `last`: time, ordinal and class of each, 17 bytes */
  value: { hasParts: bool, last: rest },
});

/**
 * The transactions before those in `address_lists`, some 32 to a row (`packed-list.ts`). The key has the first one. The ID of a transaction
 * is in `transaction_order`, where its ordinal says (`transaction-order.ts`). A page costs O(page) per list.
 */
export const addressTransactions = table({
  id: 222,
  name: "address_transactions",
  key: { list: u8, address: shortId, class: u8, timestamp: u64, ordinal: u64 },
  value: { packed: rest },
});

/** Transactions of the X-chain that consume or produce an asset, by class and group. A list of all types merges five ranges. */
export const assetTransactions = table({
  id: 223,
  name: "asset_transactions",
  key: { assetId: id, class: u8, timestamp: u64, group: u32 },
  /** of those transactions in the group, ascending, a byte each */
  value: { positions: rest },
});

/** Transactions that created or changed an L1 validator, by class. */
export const l1ValidatorTransactions = table({
  id: 224,
  name: "l1_validator_transactions",
  key: { validationId: id, class: u8, timestamp: u64, ordinal: u64 },
  value: {},
});

/** The same by address of the transactions' UTXOs, for queries that name both. */
export const l1ValidatorAddressTransactions = table({
  id: 231,
  name: "l1_validator_address_transactions",
  key: { validationId: id, address: shortId, class: u8, timestamp: u64, ordinal: u64 },
  value: {},
});

/**
 * Transactions that create stakers, with their position in lists: once rewards are paid, the transactions are listed under the recipients
 * too, and when the staker leaves, they leave `staking_lists`.
 */
export const stakingPlaces = table({
  id: 225,
  name: "staking_places",
  key: { txId: id },
  value: {
    class: u8,
    timestamp: u64,
    ordinal: u64,
    /** Times in Unix seconds. The reward is known when the period begins. Undefined if the proposal was aborted. */
    staker: optional(struct({ start: u64, end: u64, potentialReward: optional(u64) })),
    /** while the staker is active or pending, the addresses of the transaction's UTXOs, under which `staking_lists` has it */
    listedUnder: optional(list(shortId)),
  },
});

/**
 * Blocks as lists show them, so that they need not read the blocks. The block's transactions are those of `transaction_order` from
 * `firstGroup` on; those of genesis are in no block.
 */
export const primaryBlocks = table({
  id: 226,
  name: "primary_blocks",
  key: { chain: u8, height: u64 },
  value: {
    blockId: id,
    parentId: id,
    /** Unix seconds: chain time after the block; for a proposal, after its option */
    timestamp: u64,
    /** the chain's name of the block type */
    kind: str,
    /** bytes of the block without its wrapper */
    size: u32,
    firstGroup: u32,
    txCount: u32,
    proposer: optional(
      struct({
        containerId: id,
        parentId: id,
        nodeId: optional(shortId),
        platformHeight: optional(u64),
        /** Unix seconds */
        timestamp: optional(u64),
      }),
    ),
    /** P only: state after the block (for a proposal, after its option); amounts in nAVAX */
    state: optional(struct({ accruedFees: u64, activeL1Validators: u32, supply: u64 })),
  },
});

/** Blocks of a chain by time. */
export const blocksByTime = table({ id: 227, name: "blocks_by_time", key: { chain: u8, timestamp: u64, height: u64 }, value: {} });

/** Blocks that a node signed as proposer, by time. */
export const blocksByProposer = table({
  id: 228,
  name: "blocks_by_proposer",
  key: { chain: u8, nodeId: shortId, timestamp: u64, height: u64 },
  value: {},
});

/** Vertices of the X-chain by height. */
export const primaryVertices = table({
  id: 229,
  name: "primary_vertices",
  key: { height: u64, vertexId: id },
  value: {
    /** in order of acceptance */
    sequence: u64,
    /** Unix seconds: when the source accepted it, else genesis time */
    timestamp: u64,
  },
});

/** How many vertices a height has, by the first bytes of their IDs (`vertex-ranks.ts`). */
export const vertexCounts = table({
  id: 232,
  name: "vertex_counts",
  key: { height: u64, row: u16 },
  value: { counts: list(struct({ byte: u8, count: u32 })) },
});

/** The vertices that hold a transaction, in order of acceptance. The transaction was accepted with the first one. */
export const transactionVertices = table({
  id: 230,
  name: "transaction_vertices",
  key: { txId: id, sequence: u64 },
  value: { vertexId: id, height: u64, timestamp: u64 },
});
