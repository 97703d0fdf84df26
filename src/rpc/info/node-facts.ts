/** What info.* tells about the process and its source; with an archive as source there are no peers. */
import type { Id, NodeId } from "../../primitives/id.ts";

export interface Peer {
  /** address:port */
  readonly ip: string;
  readonly publicIp: string;
  readonly nodeId: NodeId;
  readonly version: string;
  /** Unix milliseconds */
  readonly upgradeTime: bigint;
  readonly lastSent: Date;
  readonly lastReceived: Date;
  /** percent */
  readonly observedUptime: number;
  readonly trackedSubnets: readonly Id[];
  readonly supportedAcps: readonly number[];
  readonly objectedAcps: readonly number[];
  readonly benched: readonly string[];
}

/** Connected peers; a peer-to-peer source provides it. */
export interface PeerSource {
  peers(): readonly Peer[];
}

export interface NodeFacts {
  readonly peerSource: PeerSource;
  /** host:port under which the node is reachable for peers */
  readonly publicIp: string;
  /** `--public`: methods that tell about this one node are closed */
  readonly isPublic: boolean;
}
