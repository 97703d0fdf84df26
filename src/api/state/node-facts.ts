/** What info.* returns about the process and its source. With an archive as source there are no peers; a follower asks its nodes. */
import type { Id, NodeId } from "../../base/bytes/id.ts";

export interface Peer {
  /** address:port */
  readonly ip: string;
  readonly publicIp: string;
  readonly nodeId: NodeId;
  /** e.g. "avalanchego/1.15.3" */
  readonly version: string;
  /** Unix seconds of the latest upgrade that the peer knows */
  readonly upgradeTime: bigint;
  readonly lastSent: Date;
  readonly lastReceived: Date;
  /** percent, 0–100, as the peer measured this node */
  readonly observedUptime: number;
  /** without the primary network */
  readonly trackedSubnets: readonly Id[];
  readonly supportedAcps: readonly number[];
  readonly objectedAcps: readonly number[];
  /** chains on which the peer is benched */
  readonly benched: readonly Id[];
}

/** Connected peers; a peer-to-peer source provides them. */
export interface PeerSource {
  peers(): readonly Peer[];
}

export const NO_PEERS: PeerSource = { peers: () => [] };

/** Provides validators' uptimes. */
export interface Uptimes {
  /** in millionths */
  uptime(subnetId: Id, nodeId: NodeId): number;
  /** differs after every change and between networks; cached answers with uptimes have it in their key */
  readonly version: string;
}

/** methods whose answer a follower passes on, since only a node that takes part in the network knows it */
export type LiveFact = "info.acps" | "info.peers" | "info.upgrades" | "info.uptime";

/** `from`: name of the node that said so; undefined if none did */
export type PassedFact = { readonly from?: string | undefined } & ({ readonly result: unknown } | { readonly refusal: string });

/** What a running node measured of the primary network's validators. */
export interface PassedUptimes {
  /** name of the node; undefined if it is not known */
  readonly from: string | undefined;
  /** differs from that of other answers; kept answers that were made from these have it in their key */
  readonly version: number;
  /** by node ID as text; `uptime`: percent with four decimals, in the node's own text */
  readonly validators: Readonly<Record<string, { readonly uptime: string; readonly connected: boolean }>>;
}

export interface LiveFacts {
  /** undefined: this process answers itself */
  fact(name: LiveFact): Promise<PassedFact | undefined>;
  /** undefined: no node tells them at present */
  uptimes(): Promise<PassedUptimes | undefined>;
}

export interface NodeFacts {
  readonly peerSource: PeerSource;
  /** host:port at which other nodes reach this one; empty if there is none */
  readonly publicIp: string;
  /** undefined if uptimes are not measured here */
  readonly uptimes?: Uptimes;
  /** the nodes that this server follows; undefined if there are none */
  readonly live?: LiveFacts | undefined;
}
