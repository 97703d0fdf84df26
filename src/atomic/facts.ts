/** What happened on the atomic side when a C-chain block was accepted. */
import type { Id } from "../primitives/id.ts";
import type { AtomicTx } from "./tx.ts";

export interface EvmFacts {
  readonly chainId: Id;
  readonly blockId: Id;
  readonly parentId: Id;
  readonly height: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** in block order; of a bonus block none, since those belong to the blocks that applied them */
  readonly atomicTxs: readonly AtomicTx[];
}
