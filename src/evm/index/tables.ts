/**
 * Read tables of EVM chains. Table IDs 300–339. `chain` is the store's own number of a chain. Hashes and addresses are hex without `0x`;
 * `index` is a transaction's position in its block. All rows follow from the chain's blocks, except those of `token-tables.ts`, which hold
 * what contracts answered.
 */
import { bool, bytes, fixedHex, optional, sentence, str, u8, u32, u64 } from "../../base/codec/codec.ts";
import { integer256, packedBytes, shortBytes, signedInteger, varint, varint64 } from "../../base/codec/varint.ts";
import { id, shortId, table } from "../../base/table/table.ts";
import { ascending, postings } from "./postings.ts";

/** EVM chains of the store. */
export const evmChains = table({
  id: 300,
  name: "evm_chains",
  key: { chain: u32 },
  value: {
    evmChainId: u64,
    /** first indexed height; 0 unless the operator chose another */
    startHeight: u64,
  },
});

/**
 * The operator's and the chain's settings when it was last followed: JSON of `EvmChainSettings` without its RPC, for processes that
 * only serve.
 */
export const evmChainSettings = table({
  id: 331,
  name: "evm_chain_settings",
  key: { chain: u32 },
  value: { settings: str },
});

/** How far a chain is indexed. `commits` rises with each block that is indexed or undone, so it identifies a state. */
export const evmChainStates = table({
  id: 301,
  name: "evm_chain_states",
  key: { chain: u32 },
  value: {
    height: u64,
    hash: id,
    /** Unix seconds */
    timestamp: u64,
    /** number since `startHeight` */
    transactions: u64,
    commits: u64,
    /** false: some block was indexed without call traces */
    hasTraces: bool,
  },
});

/** The newest block that the chain's nodes reported, for freshness. Written when it changes, at most about once a second. */
export const evmUpstreams = table({
  id: 302,
  name: "evm_upstreams",
  key: { chain: u32 },
  value: {
    headHeight: u64,
    /** Unix seconds */
    headTimestamp: u64,
    /** Unix seconds: when a node last answered */
    seenAt: u64,
    /** why nothing is indexed at present, as a sentence; empty: no problem */
    problem: sentence,
  },
});

/** Blocks, with sums over their transactions. */
export const evmBlocks = table({
  id: 303,
  name: "evm_blocks",
  key: { chain: u32, height: u64 },
  value: {
    hash: id,
    parentHash: id,
    /** Unix seconds */
    timestamp: u64,
    timestampMilliseconds: optional(u64),
    minDelayExcess: optional(u64),
    gasLimit: u64,
    /** sum over the receipts */
    gasUsed: u64,
    /** of the header if `isBaseFeeBound`, else that with which the block was executed */
    baseFee: optional(integer256),
    gasCost: integer256,
    /** wei: sum of gas used × effective price. The prices that nodes return may make it exceed 256 bits */
    feesSpent: signedInteger,
    txCount: u32,
    /** number in the chain, including this block's */
    cumulativeTransactions: u64,
    miner: shortId,
    /** JSON of `extraFields` */
    extraFields: str,
    /** atomic transactions of the C-chain */
    extraData: bytes,
  },
});

/** Heights of blocks by hash. */
export const evmBlockHashes = table({ id: 304, name: "evm_block_hashes", key: { chain: u32, hash: id }, value: { height: u64 } });

/** Longer inputs are in `evm_inputs`, so that a page of a list reads only what it shows. */
export const SHORT_INPUT_BYTES = 512;

/** Transactions of a block in their order, with the first part of their transfers and internal transactions (`parts.ts`). */
export const evmTransactions = table({
  id: 305,
  name: "evm_transactions",
  key: { chain: u32, height: u64, index: u32 },
  value: {
    hash: id,
    type: u8,
    from: shortId,
    /** for a creation, the created contract */
    to: shortId,
    isCreation: bool,
    isSuccess: bool,
    nonce: varint64,
    /** wei */
    value: integer256,
    gasLimit: varint64,
    gasUsed: varint64,
    /** effective price, wei */
    gasPrice: integer256,
    maxFeePerGas: optional(integer256),
    maxPriorityFeePerGas: optional(integer256),
    /** the whole input if it is short, else its first four bytes */
    input: packedBytes,
    inputLength: varint,
    /** how many there are */
    transfers: varint,
    internals: varint,
    /** the first of them */
    transferPart: shortBytes,
    internalPart: shortBytes,
  },
});

/** Inputs that are too long for their transaction's row. */
export const evmInputs = table({
  id: 306,
  name: "evm_inputs",
  key: { chain: u32, height: u64, index: u32 },
  value: { input: packedBytes },
});

/** Positions of transactions by the first bytes of their hashes. Two transactions may share them, so the reader compares the whole hash. */
export const evmTransactionHashes = table({
  id: 337,
  name: "evm_transaction_hashes",
  key: { chain: u32, prefix: fixedHex(8), height: u64, index: u32 },
  value: {},
});

/** The transactions of a block that succeeded, or failed, if there are any. For lists of the latest ones. */
export const evmTransactionsByStatus = table({
  id: 327,
  name: "evm_transactions_by_status",
  key: { chain: u32, isSuccess: bool, height: u64 },
  value: { indexes: ascending },
});

/** Transfers of tokens (`parts.ts`), from the second part on. The first one is in the transaction's row. */
export const evmTransfers = table({
  id: 335,
  name: "evm_transfers",
  key: { chain: u32, height: u64, index: u32, part: u32 },
  value: { transfers: shortBytes },
});

/** Internal transactions, from the second part on. The first one is in the transaction's row. */
export const evmInternals = table({
  id: 336,
  name: "evm_internals",
  key: { chain: u32, height: u64, index: u32, part: u32 },
  value: { internals: shortBytes },
});

/**
 * Transactions of a block in which an address took part, each once. `role`: what it was in the transaction, as bits (`postings.ts`). A list
 * of all that have some bits merges the rows of these roles.
 */
export const evmAddressTransactions = table({
  id: 328,
  name: "evm_address_transactions",
  key: { chain: u32, address: shortId, role: u8, height: u64 },
  value: { transactions: postings },
});

/** Transactions of a block with internal transactions from or to an address, each once. The kinds of parts are zero. */
export const evmAddressInternals = table({
  id: 329,
  name: "evm_address_internals",
  key: { chain: u32, address: shortId, height: u64 },
  value: { transactions: postings },
});

/** The newest creation of a contract, since an address can be used again after a self-destruction. */
export const evmContracts = table({
  id: 315,
  name: "evm_contracts",
  key: { chain: u32, contract: shortId },
  value: { height: u64, index: u32, deployer: shortId, factory: optional(shortId) },
});

/**
 * Contracts that an address deployed: as the sender of a transaction, or as a factory in anyone's transaction. `position`: index among
 * those of the transaction.
 */
export const evmDeployments = table({
  id: 316,
  name: "evm_deployments",
  key: { chain: u32, deployer: shortId, height: u64, index: u32, position: u32 },
  value: { contract: shortId },
});

/**
 * Contracts whose logs were decoded as those of tokens, with the class that they got then. The class is deterministic, and a reorganisation
 * undoes it. `kind` 0: not a token.
 */
export const evmTokens = table({
  id: 317,
  name: "evm_tokens",
  key: { chain: u32, token: shortId },
  value: {
    kind: u8,
    isWrapped: bool,
    /** false: its logs were unambiguous, so the contract was not asked */
    isClassed: bool,
    /**
     * some holder's sum was below zero after a block, the contract destroyed itself or was made again, or a test set its storage or code: the
     * logs do not determine balances, so they are read from the chain
     */
    hasDebts: bool,
    /** height of its first log */
    height: u64,
  },
});

/**
 * Tokens that an address holds now, as the transfers say; no row at zero. `tokenId` is zero for ERC-20. Below zero if a token's logs do not
 * determine its balances.
 */
export const evmHoldings = table({
  id: 318,
  name: "evm_holdings",
  key: { chain: u32, holder: shortId, kind: u8, token: shortId, tokenId: id },
  value: { balance: signedInteger },
});

/**
 * ERC-20 and ERC-1155 balances after each height at which they changed, zero included. The balance at a height is in the newest row at or
 * below it.
 */
export const evmBalances = table({
  id: 319,
  name: "evm_balances",
  key: { chain: u32, holder: shortId, kind: u8, token: shortId, tokenId: id, height: u64 },
  value: { balance: signedInteger },
});

/** NFTs that exist, as the transfers say: ERC-721 with their owner (supply 0), ERC-1155 with the sum over all holders. */
export const evmNfts = table({
  id: 320,
  name: "evm_nfts",
  key: { chain: u32, token: shortId, tokenId: id },
  value: { kind: u8, owner: optional(shortId), supply: signedInteger },
});

/**
 * Transactions whose call traces were not available when their block was indexed. Their internal transactions are unknown, and so are
 * contracts created by contracts in them. `firn retrace` and the process that follows the chain add them and remove the row.
 */
export const evmUntraced = table({
  id: 332,
  name: "evm_untraced_transactions",
  key: { chain: u32, height: u64, index: u32 },
  value: {},
});

/** Each node of a chain, and what was read ahead of it. Written by the process that follows the chain, with `evm_upstreams`. */
export const evmUpstreamNodes = table({
  id: 333,
  name: "evm_upstream_nodes",
  key: { chain: u32 },
  /** `nodes`: JSON, as `firn status` shows it. `prefetched`: blocks that were read and are not indexed yet */
  value: { nodes: str, prefetched: u32 },
});

/** How often a chain replaced indexed blocks since it was first indexed. Absent: never. Counted in the commit that replaces them. */
export const evmReorganisations = table({
  id: 334,
  name: "evm_reorganisations",
  key: { chain: u32 },
  /** `blocks`: replaced ones of all. `deepest`: most of one */
  value: { count: u64, blocks: u64, deepest: u64 },
});

/**
 * How to undo a block: the rows that it changed, as they were before. Only for the last `maxReorgDepth` blocks of a chain that is not
 * final.
 */
export const evmUndo = table({ id: 330, name: "evm_undo", key: { chain: u32, height: u64 }, value: { changes: bytes } });
