/**
 * Read rows of the P-chain: blocks, UTXOs by address, snapshots of validator sets. State rows (transactions, rewards, stakers, changes of
 * validator sets) belong to the chain and are read from its own tables.
 */

import { PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import type { View } from "../base/table/view.ts";
import type { PlatformFacts } from "../chains/platform/facts.ts";
import type { UnwrappedBlock } from "../network/execution.ts";
import { projectUtxos } from "./asset.ts";
import { projectBlock } from "./blocks.ts";
import { PLATFORM_UTXOS } from "./tables.ts";
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
