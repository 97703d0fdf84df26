/**
 * Transactions, blocks and vertices of the primary network, for the Data API. Table IDs 220–239. A transaction costs one row, one for
 * each address that its inputs and outputs name (P: two), one for each asset (X only) and L1 validator (P only) that it touches.
 */
import { list, optional, str, u8, u16, u32, u64 } from "../../primitives/codec/codec.ts";
import { struct } from "../../primitives/codec/struct.ts";
import { id, shortId } from "../../primitives/columns.ts";
import { table } from "../../primitives/table.ts";

/** Class of the rows of `address_transactions` that stand for any type, on P only; others are of `transaction-classes.ts`. */
export const ANY_CLASS = 0;

/** `list` of `address_transactions`: P, X, C as 0, 1, 2; or the C-chain's transactions by the EVM accounts that they debit or credit. */
export const EVM_LIST = 3;

/**
 * Transactions of a chain in order. `ordinal` counts the chain's transactions in order of acceptance, those of genesis first. A transaction
 * that was proposed again stands in two blocks, so twice in the list.
 */
export const transactionOrder = table({
  id: 220,
  name: "transaction_order",
  key: { chain: u8, timestamp: u64, ordinal: u64 },
  value: { txId: id, height: u64 },
});

/** The next ordinal of each chain. Resident. */
export const transactionCounts = table({ id: 221, name: "transaction_counts", key: { chain: u8 }, value: { next: u64 } });

/**
 * Transactions whose consumed or emitted UTXOs name an address, by class: all types are a merge of the five ranges of X or the two of C;
 * P has too many, and so a second row for any type. The ID is in `transaction_order`. A page costs O(page + ranges) for any types.
 */
export const addressTransactions = table({
  id: 222,
  name: "address_transactions",
  key: { list: u8, address: shortId, class: u8, timestamp: u64, ordinal: u64 },
  value: {},
});

/** Transactions of the X-chain that consume or emit an asset, by class: all types are a merge of five ranges. */
export const assetTransactions = table({
  id: 223,
  name: "asset_transactions",
  key: { assetId: id, class: u8, timestamp: u64, ordinal: u64 },
  value: {},
});

/** Transactions that made or changed an L1 validator, by class. */
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

/** Transactions that make stakers. Where they stand: their rewards, once paid, are listed with them. */
export const stakingPlaces = table({
  id: 225,
  name: "staking_places",
  key: { txId: id },
  value: {
    class: u8,
    timestamp: u64,
    ordinal: u64,
    /** undefined if the proposal was aborted. Times in Unix seconds; the reward is promised when the period begins */
    staker: optional(struct({ start: u64, end: u64, potentialReward: optional(u64) })),
  },
});

/**
 * What lists of blocks show, so that they need not read the blocks. The transactions are those of `transaction_order` from `firstOrdinal` on;
 * those of genesis are in no block.
 */
export const primaryBlocks = table({
  id: 226,
  name: "primary_blocks",
  key: { chain: u8, height: u64 },
  value: {
    blockId: id,
    parentId: id,
    /** Unix seconds: chain time after the block; a proposal's is its option's */
    timestamp: u64,
    /** the chain's name of the type */
    kind: str,
    /** bytes of the block without its wrapper */
    size: u32,
    firstOrdinal: u64,
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
    /** P only, after the block (a proposal's: after its option); amounts in nAVAX */
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

/** How many vertices a height has, by the first bytes of their IDs: `vertex-ranks.ts` says how. */
export const vertexCounts = table({
  id: 232,
  name: "vertex_counts",
  key: { height: u64, row: u16 },
  value: { counts: list(struct({ byte: u8, count: u32 })) },
});

/** The vertices that hold a transaction, in order of acceptance; the first one's acceptance accepted it. */
export const transactionVertices = table({
  id: 230,
  name: "transaction_vertices",
  key: { txId: id, sequence: u64 },
  value: { vertexId: id, height: u64, timestamp: u64 },
});
