/**
 * State rows of asset chains. Table IDs 150–179. Every key starts with the chain's number: 0 is the X-chain; others are numbered in order
 * of creation (`asset_chains`).
 */
import { bytes, list, str, u8, u16, u32, u64 } from "../../base/codec/codec.ts";
import { id, storedTxColumns, table } from "../../base/table/table.ts";

/** Asset chains that this store executes. Resident. */
export const assetChains = table({ id: 150, name: "asset_chains", key: { chain: u16 }, value: { chainId: id, fxIds: list(id) } });

/** Scalars of an asset chain. Resident. Before linearization `height` is 0 and `lastAccepted` is the empty ID. */
export const assetChainState = table({
  id: 151,
  name: "asset_chain_state",
  key: { chain: u16 },
  value: {
    height: u64,
    lastAccepted: id,
    /** Unix seconds of the last block */
    timestamp: u64,
    /** 0 = DAG, 1 = linear */
    phase: u8,
    /** number of accepted transactions without genesis assets: the next index of the transaction index */
    txCount: u64,
    /** number of accepted vertices */
    vertexCount: u64,
    feeAssetId: id,
  },
});

/** The UTXO set. `bytes` is the UTXO without codec version. */
export const assetUtxos = table({ id: 152, name: "asset_utxos", key: { chain: u16, utxoId: id }, value: { bytes, rank: u64 } });

/** Accepted transactions and genesis assets. Height 0 before linearization. `stored-tx.ts` says where their bytes are. */
export const assetTxs = table({
  id: 153,
  name: "asset_txs",
  key: { chain: u16, txId: id },
  value: { height: u64, index: u64, ...storedTxColumns },
});

/** Assets: their description, and what transfers need. `fxIndices` lists the fxs of the initial states. */
export const assets = table({
  id: 154,
  name: "assets",
  key: { chain: u16, assetId: id },
  value: { name: str, symbol: str, denomination: u8, fxIndices: list(u32) },
});

/** Vertices of the DAG by ID, including the stop vertex. `sequence` is the order of acceptance. */
export const assetVertices = table({ id: 155, name: "asset_vertices", key: { chain: u16, vertexId: id }, value: { sequence: u64, bytes } });

/** Aliases of genesis assets ("AVAX"). Resident. */
export const assetAliases = table({ id: 156, name: "asset_aliases", key: { chain: u16, alias: str }, value: { assetId: id } });

/** Transactions of accepted vertices by the transaction whose outputs they spend and that is yet to come. Resident; empty in a linear chain. */
export const assetDeferredTxs = table({
  id: 157,
  name: "asset_deferred_txs",
  key: { chain: u16, awaited: id },
  value: { txs: list(bytes) },
});
