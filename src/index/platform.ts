/**
 * Read rows of the P-chain: blocks, UTXOs by address, snapshots of validator sets. State rows (transactions, rewards, stakers, changes of
 * validator sets) belong to the chain and are read from its own tables.
 */

import { type Id, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import type { View } from "../base/table/view.ts";
import type { AssetFacts } from "../chains/asset/facts.ts";
import type { PlatformFacts } from "../chains/platform/facts.ts";
import type { ConsumedUtxo, ProducedUtxo, UnwrappedBlock } from "../network/execution.ts";
import { blockHeights, blocks, containerHeights, PLATFORM_UTXOS, txOrder, utxosByAddress, vertexOrder } from "./tables.ts";
import { type CurrentValidatorSet, projectValidatorSnapshots, validatorSetProgress } from "./validator-snapshots.ts";

/** Loaded whole when ingest starts. */
export const platformIndexResidentTables = [validatorSetProgress] as const;

/** The wrapper of one block of the facts, and when the block was accepted. */
export interface BlockSource {
  readonly unwrapped: UnwrappedBlock;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
}

const NO_BYTES = new Uint8Array(0);
const NANOSECONDS = 1_000_000_000n;

/**
 * Call it right after the block was executed: `currentSet` must return the sets after that block.
 * @param sources of `facts.blocks`, in the same order (a proposal's was kept until its option came); empty for genesis
 */
export function projectPlatform(
  view: View,
  facts: PlatformFacts,
  currentSet: CurrentValidatorSet,
  sources: readonly BlockSource[] = [],
): void {
  for (const [index, { blockId, height, bytes }] of facts.blocks.entries()) {
    const { unwrapped, acceptedAt } = sources[index] ?? {
      unwrapped: { containerId: blockId, head: NO_BYTES, inner: bytes, tail: NO_BYTES },
      acceptedAt: facts.timestamp * NANOSECONDS,
    };
    projectBlock(view, { chainId: PLATFORM_CHAIN_ID, height, blockId, unwrapped, acceptedAt });
  }
  projectUtxos(view, PLATFORM_UTXOS, facts);
  projectValidatorSnapshots(view, facts.height, facts.validatorChanges, currentSet);
}

// Read rows of asset chains: UTXOs by address, and the orders of acceptance that the Index API returns. An output costs one row per address
// when it is created and again when it is consumed. A vertex costs one row, and so does each of its transactions.

/** @param acceptedAt Unix nanoseconds */
export function projectAsset(view: View, facts: AssetFacts, acceptedAt: bigint): void {
  const { chainId } = facts;
  projectUtxos(view, facts.chain, facts);
  if (facts.vertex === undefined) return;
  // The node's transaction index covers the DAG only. Later transactions are found in their blocks.
  for (const { txId, index } of facts.txs) view.put(txOrder, { chainId, index }, { txId, acceptedAt });
  const { vertexId, sequence } = facts.vertex;
  view.put(vertexOrder, { chainId, index: sequence }, { vertexId, acceptedAt });
}

interface UtxoChanges {
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
}

/**
 * Keeps `utxos_by_address` of a chain. An output that is created and consumed in the same facts leaves no row.
 * @param chain as in the table's key
 */
function projectUtxos(view: View, chain: number, { produced, consumed }: UtxoChanges): void {
  for (const { utxoId, addresses, rank } of produced) {
    for (const address of new Set(addresses)) view.put(utxosByAddress, { chain, address, rank, utxoId }, {});
  }
  for (const { utxoId, addresses, rank } of consumed) {
    for (const address of new Set(addresses)) view.delete(utxosByAddress, { chain, address, rank, utxoId });
  }
}

interface AcceptedBlock {
  readonly chainId: Id;
  readonly height: bigint;
  /** ID of the chain's own block, without its wrapper */
  readonly blockId: Id;
  readonly unwrapped: UnwrappedBlock;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
}

/**
 * Rows of accepted blocks of every chain, by height, block ID and container ID. They serve getBlock, getBlockByHeight and the Index API. A
 * block costs three rows.
 */
export function projectBlock(view: View, { chainId, height, blockId, unwrapped, acceptedAt }: AcceptedBlock): void {
  const { containerId, head, inner, tail } = unwrapped;
  view.put(blocks, { chainId, height }, { blockId, containerId, head, bytes: inner, tail, acceptedAt });
  view.put(blockHeights, { chainId, blockId }, { height });
  view.put(containerHeights, { chainId, containerId }, { height });
}
