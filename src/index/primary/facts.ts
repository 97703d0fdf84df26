/** What the Data API's index is made from: the facts of one accepted block or vertex of P, X or C, in the order of ingest. */
import type { AssetFacts } from "../../asset/facts.ts";
import type { EvmFacts } from "../../atomic/facts.ts";
import type { SharedElement } from "../../atomic/shared-memory.ts";
import type { UnwrappedBlock } from "../../network/execution.ts";
import type { PlatformFacts } from "../../platform/facts.ts";
import type { Id } from "../../primitives/id.ts";
import type { C_CHAIN, P_CHAIN, X_CHAIN } from "./primary-chain.ts";

/** How a block came: its wrapper, and when the source accepted it. */
export interface BlockOrigin {
  readonly unwrapped: UnwrappedBlock;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
}

export interface PlatformPrimaryFacts {
  readonly chain: typeof P_CHAIN;
  readonly facts: PlatformFacts;
  /** of `facts.blocks`, in the same order; empty for genesis */
  readonly origins: readonly BlockOrigin[];
}

export interface AssetPrimaryFacts {
  readonly chain: typeof X_CHAIN;
  readonly facts: AssetFacts;
  /** of the block or vertex; `unwrapped` is undefined for a vertex and for blocks that have no wrapper */
  readonly unwrapped: UnwrappedBlock | undefined;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
}

export interface EvmPrimaryFacts {
  readonly chain: typeof C_CHAIN;
  readonly facts: EvmFacts;
  /** undefined for genesis */
  readonly origin: BlockOrigin | undefined;
}

/** What a chain whose blocks are not part of the source put into shared memory as `source`, or took out of it as `destination`. */
export interface SharedMemoryFacts {
  readonly chain: "shared-memory";
  readonly source: Id;
  readonly destination: Id;
  readonly elements: readonly SharedElement[];
  readonly removed: readonly Id[];
  /** P-chain time when it was applied, Unix seconds: the only time there is */
  readonly timestamp: bigint;
}

export type PrimaryFacts = PlatformPrimaryFacts | AssetPrimaryFacts | EvmPrimaryFacts | SharedMemoryFacts;
