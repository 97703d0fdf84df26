/** A source of blocks of an EVM chain in order of height, from any upstream, for the ingester. */
import type { Hash } from "./parser/block.ts";
import type { ReceivedBlock } from "./read-block.ts";

export interface EvmTip {
  readonly height: bigint;
  readonly hash: Hash;
}

export interface EvmBatch {
  /** The chain replaced the blocks above this height. They are undone first, in the same commit. Undefined: nothing was replaced. */
  readonly undoTo?: bigint;
  /** at least one; consecutive; the first one's parent is the tip (or the block at `undoTo`) */
  readonly blocks: readonly ReceivedBlock[];
  /** newest block that the upstream reported */
  readonly head: { readonly height: bigint; readonly timestamp: bigint };
}

export interface EvmSource {
  /**
   * Yields blocks after `tip` (undefined: from the first one on) until `signal` is aborted. After a reorganisation, the whole new branch
   * comes in one batch, up to some blocks beyond the tip.
   * @param hashAt hash of an indexed block, to find where a branch begins; undefined: not indexed
   */
  batches(tip: EvmTip | undefined, hashAt: (height: bigint) => Promise<Hash | undefined>, signal: AbortSignal): AsyncIterable<EvmBatch>;
}
