/**
 * Where blocks come from. A source delivers what was accepted, of all its chains, in one order in which it can be executed: by time of
 * acceptance, each chain's in its own order. It knows neither store nor chains.
 */
import type { SourceBlock } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { Id, ShortId } from "../primitives/id.ts";

/** `origin` is where people find the item: file and line. */
export type SourceItem = BlockItem | VertexItem | SharedMemoryItem;

export interface BlockItem extends SourceBlock {
  readonly kind: "block";
  /** as the source says; both are held against the block itself */
  readonly height: bigint;
  /** of the container or of the chain's own block; absent if the source does not tell */
  readonly id?: Id;
  readonly origin?: string;
}

export interface VertexItem {
  readonly kind: "vertex";
  readonly chainId: Id;
  /** 0, 1, 2 … in order of acceptance */
  readonly sequence: bigint;
  readonly id?: Id;
  readonly bytes: Uint8Array;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
  readonly origin?: string;
}

/** What a chain whose blocks are not part of the source did to the memory that it shares with `peerId`. */
export interface SharedMemoryItem {
  readonly kind: "shared-memory";
  /** the chain that did it */
  readonly chainId: Id;
  /** 0, 1, 2 … among the items of this kind */
  readonly sequence: bigint;
  readonly operation: SharedMemoryOperation;
  readonly origin?: string;
}

export type SharedMemoryOperation =
  | { readonly kind: "put"; readonly peerId: Id; readonly key: Id; readonly bytes: Uint8Array; readonly traits: readonly ShortId[] }
  | { readonly kind: "remove"; readonly peerId: Id; readonly key: Id };

/** How far the store is: what a source need not deliver again. */
export interface Progress {
  /** height of the last executed block, by chain ID; absent: nothing yet */
  readonly heights: ReadonlyMap<Id, bigint>;
  /** executed vertices, by chain ID */
  readonly vertices: ReadonlyMap<Id, bigint>;
  readonly sharedMemoryOperations: bigint;
}

export interface Source {
  readonly network: NetworkInstance;
  /** the network's parameters as `network.json` has them; with the genesis all that is needed to execute again */
  readonly networkFile: Uint8Array;
  /** chains besides P, X and C whose blocks it has */
  readonly otherChains: readonly Id[];
  /** whether the X-chain's vertices are part of it */
  readonly hasVertices: boolean;
  /** share of the source that was read so far, from 0 to 1; undefined if it has no end */
  readonly fractionRead: number | undefined;
  /** Runs of items that are there at once; a run of one at the tip. What `from` covers is left out. */
  items(from: Progress): AsyncIterable<readonly SourceItem[]>;
}
