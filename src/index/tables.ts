/** Read tables common to all chains, which the blockchain ID tells apart. Table IDs 1–49. */
import { bytes, str, u8, u16, u32, u64 } from "../base/codec/codec.ts";
import { id, shortId, table } from "../base/table/table.ts";

/**
 * Accepted blocks. The proposervm container is `head ++ bytes ++ tail`; both are empty for a block without wrapper. `firn reindex` needs
 * only these rows and `ingest_log`.
 */
export const blocks = table({
  id: 1,
  name: "blocks",
  key: { chainId: id, height: u64 },
  value: {
    blockId: id,
    /**
     * ID of the proposervm wrapper, or the block's own if it has none. EMPTY_ID if that is not known, because nodes gave the block without
     * its wrapper: then `acceptedAt`, too, is only the block's own time (0 before Banff)
     */
    containerId: id,
    head: bytes,
    /** the chain's own block, with codec version (RLP for C) */
    bytes,
    tail: bytes,
    /** Unix nanoseconds */
    acceptedAt: u64,
  },
});

/** Block height by block ID (the chain's own). */
export const blockHeights = table({ id: 2, name: "block_heights", key: { chainId: id, blockId: id }, value: { height: u64 } });

/** Block height by container ID (the proposervm wrapper's). EMPTY_ID stands for all that are not known: the height is the last one's. */
export const containerHeights = table({ id: 3, name: "container_heights", key: { chainId: id, containerId: id }, value: { height: u64 } });

/** Transactions of asset chains in order of acceptance (the Index API's `tx` index). */
export const txOrder = table({ id: 4, name: "tx_order", key: { chainId: id, index: u64 }, value: { txId: id, acceptedAt: u64 } });

/** Vertices of asset chains in order of acceptance (the Index API's `vtx` index). */
export const vertexOrder = table({
  id: 5,
  name: "vertex_order",
  key: { chainId: id, index: u64 },
  value: { vertexId: id, acceptedAt: u64 },
});

/** `chain` of the P-chain's rows in `utxos_by_address`. */
export const PLATFORM_UTXOS = 0xff_ff;

/**
 * UTXOs by address, the newest block's first. A multisig UTXO has a row per owner. Serves getUTXOs and getBalance; a page costs O(page). The
 * UTXOs themselves are in `platform_utxos` and `asset_utxos`. `chain`: the number of the asset chain.
 */
export const utxosByAddress = table({
  id: 6,
  name: "utxos_by_address",
  key: { chain: u16, address: shortId, rank: u64, utxoId: id },
  value: {},
});

/**
 * Whole validator sets at some heights, so that the set at any height is one snapshot plus a bounded number of `platform_validator_diffs`.
 * Written for a subnet when the diffs since its last snapshot outnumber its members (at least 256). `set` is nodeID(20) ++ weight u64 ++
 * hasKey u8 ++ key(48 if hasKey), repeated, ascending by nodeID.
 */
export const validatorSnapshots = table({ id: 7, name: "validator_snapshots", key: { subnetId: id, height: u64 }, value: { set: bytes } });

/** Kinds of ingest log entries. */
export const LOG_BLOCK = 0;
export const LOG_VERTEX = 1;
/** shared-memory operations of a chain whose blocks are not part of the source */
export const LOG_SHARED_MEMORY = 2;

/** Everything that was ingested, in the one order across chains in which the store applied it. `firn reindex` reads it from the start. */
export const ingestLog = table({
  id: 8,
  name: "ingest_log",
  key: { sequence: u64 },
  /** `ref`: block height (u64 BE), vertex ID, or an encoded operation */
  value: { kind: u8, chainId: id, ref: bytes },
});

/** The network parameters and the genesis, so that the store can be reopened and rebuilt without its source. One row. */
export const storeSource = table({
  id: 9,
  name: "store_source",
  key: { slot: u8 },
  value: { network: bytes, genesis: bytes },
});

/**
 * The newest block that the source is known to have, by chain. Ingest writes it when it learns of a block ahead of what it executes. A
 * source that ends (an archive) writes none: everything in it has been read. Health computes from it how far the index is behind.
 */
export const sourceTips = table({
  id: 30,
  name: "source_tips",
  key: { chainId: id },
  /** `acceptedAt`: Unix nanoseconds */
  value: { height: u64, acceptedAt: u64 },
});

/** The last report of the nodes of a followed network. One row; none if no process follows the network. */
export const sourceState = table({
  id: 31,
  name: "source_state",
  key: { slot: u8 },
  /**
   * `seenAt`: Unix seconds. `problem`: why nothing is ingested at present, as a sentence; empty: no problem. `upstreams`: JSON, as `firn
   * status` shows it
   */
  value: { seenAt: u64, problem: str, upstreams: str },
});

/** How long validators were not connected to this node while it ran, since they began to validate. */
export const peerAbsences = table({
  id: 33,
  name: "peer_absences",
  key: { nodeId: shortId },
  /** `startTime`: when the validator began, Unix seconds */
  value: { startTime: u64, absentMs: u64 },
});

/** Blocks of a followed network's chain that were read from nodes and are not executed yet. Written with `source_state`. */
export const sourceQueues = table({
  id: 32,
  name: "source_queues",
  key: { chainId: id },
  /** `prefetched`: read ahead. `waiting`: import what another chain has yet to export, or are behind such a block */
  value: { prefetched: u32, waiting: u32 },
});
