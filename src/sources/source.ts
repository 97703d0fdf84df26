/**
 * Where blocks come from. A source delivers the accepted items of all its chains in one executable order: by time of acceptance, with each
 * chain in its own order. It knows neither store nor chains.
 */

import type { Id, ShortId } from "../base/bytes/id.ts";
import type { SourceBlock } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { NetworkActivity } from "../p2p/peer-network.ts";

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const NANOSECONDS = 1_000_000_000n;

/** Parses a time in a recording, RFC 3339 with up to nine fraction digits or Unix seconds, to Unix nanoseconds. */
export function parseAcceptedAt(value: unknown): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value) * NANOSECONDS;
  const match = typeof value === "string" ? TIMESTAMP.exec(value) : null;
  if (match === null) throw new TypeError(`acceptedAt is ${JSON.stringify(value)}; it needs RFC 3339 or Unix seconds`);
  const [, seconds, fraction = "", zone] = match;
  return BigInt(Date.parse(`${seconds}${zone}`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

/** `origin` tells people where the item is: file and line. */
export type SourceItem = BlockItem | VertexItem | SharedMemoryItem;

export interface BlockItem extends SourceBlock {
  readonly kind: "block";
  /** height and ID as the source gives them; both are checked against the block itself */
  readonly height: bigint;
  /** ID of the container or of the chain's own block; absent if the source has none */
  readonly id?: Id;
  readonly origin?: string;
  /** the source has the chain's own block only: whether it has a proposervm header, and when it was accepted, is not known */
  readonly isHeaderUnknown?: true;
  /** the source has verified the container's signature */
  readonly isSignatureVerified?: true;
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

/** A shared-memory operation, on memory shared with `peerId`, of a chain whose blocks the source lacks. */
export interface SharedMemoryItem {
  readonly kind: "shared-memory";
  /** the chain that made the operation */
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
  /** height of the last executed block by chain ID; absent if there is none */
  readonly heights: ReadonlyMap<Id, bigint>;
  /** number of executed vertices by chain ID */
  readonly vertices: ReadonlyMap<Id, bigint>;
  readonly sharedMemoryOperations: bigint;
  /** ID of the last executed block by chain ID, so that the next one's parent can be checked; absent or empty if it is not known */
  readonly lastAccepted?: ReadonlyMap<Id, Id>;
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether many items of the chain are already waiting, so that more are useless for now. A source may deliver them anyway. */
  readonly isHeld?: (chainId: Id) => boolean;
}

export interface Source {
  readonly network: NetworkInstance;
  /** the network's parameters as in `network.json`; with the genesis they are all that is needed to execute again */
  readonly networkFile: Uint8Array;
  /** chains other than P, X and C whose blocks it has */
  readonly otherChains: readonly Id[];
  /** whether the X-chain begins with vertices, here or in what is ingested later */
  readonly hasVertices: boolean;
  /** The X-chain's vertices alone, to be checked before the first one is executed; absent if it has none, or has checked them. */
  readonly vertices?: (() => AsyncIterable<VertexItem>) | undefined;
  /** share of the source that was read so far, from 0 to 1; undefined if it has no end */
  readonly fractionRead: number | undefined;
  /**
   * Batches of available items; at the tip, single ones. Items that `from` covers are left out. A source without an end stops when aborted.
   */
  items(from: Progress, options?: ReadOptions): AsyncIterable<readonly SourceItem[]>;
}

/** A source without an end: nodes of a running network. */
export interface LiveSource extends Source {
  /** Throws a FirnError that says what to do if the X-chain begins with vertices and none of the nodes has them. */
  requireVertices(signal: AbortSignal): Promise<void>;
  status(): SourceStatus;
  /** Closes its connections. */
  close(): Promise<void>;
}

/** What a source currently knows about its nodes. */
export interface SourceStatus {
  /** when one of them last answered, Unix seconds; 0 if none has yet */
  readonly seenAt: bigint;
  /** their newest blocks by chain, and when the source learned of them (Unix nanoseconds) */
  readonly tips: ReadonlyMap<Id, { readonly height: bigint; readonly acceptedAt: bigint }>;
  /** why there is nothing to ingest, as a sentence for people */
  readonly problem?: string | undefined;
  readonly upstreams: readonly UpstreamStatus[];
  /** blocks that were read ahead, by chain */
  readonly prefetched: ReadonlyMap<Id, number>;
}

/** One's knowledge of the network as one of its peers. */
export interface PeersReport extends NetworkActivity {
  readonly connected: number;
  readonly bytesReceived: number;
  readonly bytesSent: number;
  /** absent: they are not known yet */
  readonly validators?: ConnectedValidators;
}

export interface ConnectedValidators {
  /** share of all stake, from 0 to 1 */
  readonly connectedShare: number;
  /** `NodeID-…` of those who are not connected, in their order */
  readonly disconnected: readonly string[];
  /** of the upgrade that those with most stake know as the latest: Unix seconds, and their share of all stake */
  readonly upgradeTime: number;
  readonly upgradeShare: number;
  /** number of different ones */
  readonly upgradeTimes: number;
}

/** The state of one node, for `firn status` and metrics. */
export interface UpstreamStatus {
  /** its URL without secrets */
  readonly name: string;
  readonly state: "used" | "resting" | "refused";
  /** why it is not used */
  readonly reason?: string | undefined;
  /** newest height by chain (`P`, `X`, `C`), in decimal digits */
  readonly heights: Readonly<Record<string, string>>;
  /** number of consecutive messages without a usable answer */
  readonly failures: number;
  /** failed messages by kind, since the process began; absent: an older Firn wrote it */
  readonly errors?: Readonly<Record<string, number>>;
  /** of all peers of a network together, which are one of the upstreams */
  readonly peers?: PeersReport;
}
