/** The atomic effects of an accepted C-chain block. */
import type { Id } from "../../base/bytes/id.ts";
import type { AtomicTx } from "./tx.ts";

export interface AtomicFacts {
  readonly chainId: Id;
  readonly blockId: Id;
  readonly parentId: Id;
  readonly height: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** in block order; empty for a bonus block, whose transactions belong to the blocks that applied them */
  readonly atomicTxs: readonly AtomicTx[];
}
