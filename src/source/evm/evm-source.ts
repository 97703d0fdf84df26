/** Blocks of an EVM chain in order of height, from any upstream; what an EVM ingester takes. */
import type { EvmBlock, Hash } from "../../evm/block.ts";

export interface EvmTip {
  readonly height: bigint;
  readonly hash: Hash;
}

export interface EvmBatch {
  /** The chain replaced what lies above this height: it is undone first, in the same commit. Undefined: nothing was replaced. */
  readonly undoTo?: bigint;
  /** at least one; consecutive, the first one's parent is the tip (or the block at `undoTo`) */
  readonly blocks: readonly EvmBlock[];
  /** newest block that the upstream told of */
  readonly head: { readonly height: bigint; readonly timestamp: bigint };
}

export interface EvmSource {
  /**
   * Blocks from behind `tip` (undefined: from the first one on) for ever, or until `signal` is aborted. After a reorganisation the new branch
   * comes in one batch that reaches at least as high as what it replaces, unless the new chain is shorter.
   * @param hashAt of blocks that are indexed, to find where a branch begins; undefined: not indexed
   */
  batches(tip: EvmTip | undefined, hashAt: (height: bigint) => Promise<Hash | undefined>, signal: AbortSignal): AsyncIterable<EvmBatch>;
}
