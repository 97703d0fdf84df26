/**
 * Read tables of EVM chains. Table IDs 300–339. `chain` is the store's own number of a chain. Hashes and addresses are hex without `0x`;
 * `index` is a transaction's place in its block. All rows follow from the chain's blocks, except those of `token-tables.ts`, which say what
 * contracts answered.
 */
import { bool, bytes, optional, str, u8, u32, u64 } from "../../primitives/codec/codec.ts";
import { integer256, signedInteger } from "../../primitives/codec/integer.ts";
import { id, shortId } from "../../primitives/columns.ts";
import { table } from "../../primitives/table.ts";

/** EVM chains of the store. */
export const evmChains = table({
  id: 300,
  name: "evm_chains",
  key: { chain: u32 },
  value: {
    evmChainId: u64,
    /** first height that is indexed; 0 unless the operator chose another */
    startHeight: u64,
  },
});

/** What the operator and the chain itself said of it when it was followed last: JSON of `EvmChainSettings` without its RPC, for processes that only serve. */
export const evmChainSettings = table({
  id: 331,
  name: "evm_chain_settings",
  key: { chain: u32 },
  value: { settings: str },
});

/** How far a chain is indexed. `commits` rises with each block that is indexed or undone, so that it names a state. */
export const evmChainStates = table({
  id: 301,
  name: "evm_chain_states",
  key: { chain: u32 },
  value: {
    height: u64,
    hash: id,
    /** Unix seconds */
    timestamp: u64,
    /** since `startHeight` */
    transactions: u64,
    commits: u64,
    /** false: some block was indexed without call traces */
    hasTraces: bool,
  },
});

/** What the source last said, for freshness: written when it changes, at most about once a second. */
export const evmUpstreams = table({
  id: 302,
  name: "evm_upstreams",
  key: { chain: u32 },
  value: {
    headHeight: u64,
    /** Unix seconds */
    headTimestamp: u64,
    /** Unix seconds: when it was last heard of */
    seenAt: u64,
    /** why nothing is indexed at present, for people; empty: nothing is wrong */
    problem: str,
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
    /** sum of the receipts' */
    gasUsed: u64,
    baseFee: optional(integer256),
    gasCost: integer256,
    /** wei: sum of gas used × effective price */
    feesSpent: integer256,
    txCount: u32,
    /** of the chain, this block's included */
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

/** Longer inputs lie in `evm_inputs`, so that a page of a list reads what it shows. */
export const SHORT_INPUT_BYTES = 128;

/** Transactions of a block in its order. */
export const evmTransactions = table({
  id: 305,
  name: "evm_transactions",
  key: { chain: u32, height: u64, index: u32 },
  value: {
    hash: id,
    type: u8,
    from: shortId,
    /** of a creation the created contract */
    to: shortId,
    isCreation: bool,
    isSuccess: bool,
    nonce: u64,
    /** wei */
    value: integer256,
    gasLimit: u64,
    gasUsed: u64,
    /** effective, wei */
    gasPrice: integer256,
    maxFeePerGas: optional(integer256),
    maxPriorityFeePerGas: optional(integer256),
    /** all of it if it is short, else its first four bytes */
    input: bytes,
    inputLength: u32,
    /** rows in `evm_transfers` and `evm_internals` */
    transfers: u32,
    internals: u32,
  },
});

/** Inputs that are too long for the row of their transaction. */
export const evmInputs = table({ id: 306, name: "evm_inputs", key: { chain: u32, height: u64, index: u32 }, value: { input: bytes } });

/** Where a transaction is, by hash. */
export const evmTransactionHashes = table({
  id: 307,
  name: "evm_transaction_hashes",
  key: { chain: u32, hash: id },
  value: { height: u64, index: u32 },
});

/** Latest transactions by status. */
export const evmTransactionsByStatus = table({
  id: 308,
  name: "evm_transactions_by_status",
  key: { chain: u32, isSuccess: bool, height: u64, index: u32 },
  value: {},
});

/** `kind`: see `TransferKind`. */
export const evmTransfers = table({
  id: 309,
  name: "evm_transfers",
  key: { chain: u32, height: u64, index: u32, logIndex: u32, batchIndex: u32 },
  value: { kind: u8, token: shortId, from: shortId, to: shortId, tokenId: integer256, value: integer256 },
});

/** `position`: among those of the transaction. `type`: place in `INTERNAL_TYPES`. */
export const evmInternals = table({
  id: 310,
  name: "evm_internals",
  key: { chain: u32, height: u64, index: u32, position: u32 },
  value: { type: u8, from: shortId, to: shortId, value: integer256, isReverted: bool, gasLimit: u64, gasUsed: u64 },
});

export const INTERNAL_TYPES = ["CALL", "CALLCODE", "CREATE", "CREATE2"] as const;

/**
 * Transactions that an address had a part in, once each: `isNative` as sender or receiver of the transaction itself, else only of a transfer or an
 * internal transaction in it. Lists of both kinds are a merge.
 */
export const evmAddressTransactions = table({
  id: 311,
  name: "evm_address_transactions",
  key: { chain: u32, address: shortId, isNative: bool, height: u64, index: u32 },
  value: {},
});

/** Transfers from or to an address, a transfer to itself once. */
export const evmAddressTransfers = table({
  id: 312,
  name: "evm_address_transfers",
  key: { chain: u32, address: shortId, kind: u8, height: u64, index: u32, logIndex: u32, batchIndex: u32 },
  value: {},
});

/** Internal transactions from or to an address, one to itself once. */
export const evmAddressInternals = table({
  id: 313,
  name: "evm_address_internals",
  key: { chain: u32, address: shortId, height: u64, index: u32, position: u32 },
  value: {},
});

/** Transfers of a token. */
export const evmTokenTransfers = table({
  id: 314,
  name: "evm_token_transfers",
  key: { chain: u32, token: shortId, height: u64, index: u32, logIndex: u32, batchIndex: u32 },
  value: {},
});

/** The newest creation of a contract: one address can be used again after a self-destruction. */
export const evmContracts = table({
  id: 315,
  name: "evm_contracts",
  key: { chain: u32, contract: shortId },
  value: { height: u64, index: u32, deployer: shortId, factory: optional(shortId) },
});

/** Contracts that an address deployed, by a transaction of its own or, as a factory, in one of others. `position`: among those of the transaction. */
export const evmDeployments = table({
  id: 316,
  name: "evm_deployments",
  key: { chain: u32, deployer: shortId, height: u64, index: u32, position: u32 },
  value: { contract: shortId },
});

/** Contracts that logs were decoded of as tokens, as they were classed then: deterministic, and part of what a reorganisation undoes. `kind` 0: none. */
export const evmTokens = table({
  id: 317,
  name: "evm_tokens",
  key: { chain: u32, token: shortId },
  value: {
    kind: u8,
    isWrapped: bool,
    /** false: its logs left no doubt, the contract was not asked */
    isClassed: bool,
    /** some holder's sum was below zero after a block: the logs do not tell all, balances are read from the chain */
    hasDebts: bool,
    /** where it was first met */
    height: u64,
  },
});

/** What an address holds now, as transfers have it; no row at zero. `tokenId` is zero for ERC-20. Below zero if a token's logs do not tell all. */
export const evmHoldings = table({
  id: 318,
  name: "evm_holdings",
  key: { chain: u32, holder: shortId, kind: u8, token: shortId, tokenId: id },
  value: { balance: signedInteger },
});

/** The same after each height at which it changed, zero included: the newest row at or below a height counts there. ERC-20 and ERC-1155. */
export const evmBalances = table({
  id: 319,
  name: "evm_balances",
  key: { chain: u32, holder: shortId, kind: u8, token: shortId, tokenId: id, height: u64 },
  value: { balance: signedInteger },
});

/** NFTs that exist: ERC-721 with their owner (supply 0), ERC-1155 with what all holders together have of it, as transfers have it. */
export const evmNfts = table({
  id: 320,
  name: "evm_nfts",
  key: { chain: u32, token: shortId, tokenId: id },
  value: { kind: u8, owner: optional(shortId), supply: signedInteger },
});

/** How to undo a block: the rows that it changed, as they were before. Of the last `maxReorgDepth` blocks of a chain that is not final. */
export const evmUndo = table({ id: 330, name: "evm_undo", key: { chain: u32, height: u64 }, value: { changes: bytes } });
