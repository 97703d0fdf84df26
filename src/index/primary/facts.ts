/** The facts from which the Data API's index is made: those of one accepted block or vertex of P, X or C, in the order of ingest. */

import type { Id } from "../../base/bytes/id.ts";
import type { AssetFacts } from "../../chains/asset/facts.ts";
import type { AtomicFacts } from "../../chains/atomic/facts.ts";
import type { PlatformFacts } from "../../chains/platform/facts.ts";
import type { SharedElement } from "../../chains/shared-memory/shared-memory.ts";
import type { UnwrappedBlock } from "../../network/execution.ts";
import type { C_CHAIN, P_CHAIN, X_CHAIN } from "./primary-chain.ts";

/** The wrapper of a block, and when the source accepted it. */
export interface BlockOrigin {
  readonly unwrapped: UnwrappedBlock;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
}

export interface PlatformPrimaryFacts {
  readonly chain: typeof P_CHAIN;
  readonly facts: PlatformFacts;
  /** in the order of `facts.blocks`; empty for genesis */
  readonly origins: readonly BlockOrigin[];
}

export interface AssetPrimaryFacts {
  readonly chain: typeof X_CHAIN;
  readonly facts: AssetFacts;
  /** of the block or vertex; undefined for vertices and for blocks without a wrapper */
  readonly unwrapped: UnwrappedBlock | undefined;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
}

export interface EvmPrimaryFacts {
  readonly chain: typeof C_CHAIN;
  readonly facts: AtomicFacts;
  /** undefined for genesis */
  readonly origin: BlockOrigin | undefined;
}

/** What a chain whose blocks are not part of the source put into shared memory (as `source`) or removed from it (as `destination`). */
export interface SharedMemoryFacts {
  readonly chain: "shared-memory";
  readonly source: Id;
  readonly destination: Id;
  readonly elements: readonly SharedElement[];
  readonly removed: readonly Id[];
  /** P-chain time when the change was applied, Unix seconds; no other time is known */
  readonly timestamp: bigint;
}

export type PrimaryFacts = PlatformPrimaryFacts | AssetPrimaryFacts | EvmPrimaryFacts | SharedMemoryFacts;
