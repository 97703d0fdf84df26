/** What info.* tells about the process and its source; with an archive as source there are no peers. */
import type { Id, NodeId } from "../../primitives/id.ts";

export interface Peer {
  /** address:port */
  readonly ip: string;
  readonly publicIp: string;
  readonly nodeId: NodeId;
  /** e.g. "avalanchego/1.14.2" */
  readonly version: string;
  /** Unix seconds of the latest upgrade that the peer knows */
  readonly upgradeTime: bigint;
  readonly lastSent: Date;
  readonly lastReceived: Date;
  /** percent, 0–100, as the peer measured this node */
  readonly observedUptime: number;
  /** besides the primary network */
  readonly trackedSubnets: readonly Id[];
  readonly supportedAcps: readonly number[];
  readonly objectedAcps: readonly number[];
  /** chains on which the peer is benched */
  readonly benched: readonly Id[];
}

/** Connected peers; a peer-to-peer source provides it. */
export interface PeerSource {
  peers(): readonly Peer[];
}

export const NO_PEERS: PeerSource = { peers: () => [] };

/** Where the time that validators are there is known. */
export interface Uptimes {
  /** millionths */
  uptime(subnetId: Id, nodeId: NodeId): number;
  /** another one after every change, and in every network: answers that show uptimes are kept under it */
  readonly version: string;
}

export interface NodeFacts {
  readonly peerSource: PeerSource;
  /** host:port under which other nodes reach this one; empty if there is none */
  readonly publicIp: string;
  /** undefined: nothing here measures them */
  readonly uptimes?: Uptimes;
}
