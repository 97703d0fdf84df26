/** The node's own keys: a staking certificate, whose hash is the node ID, and a BLS key with its proof of possession. */
import type { BlsPublicKey, NodeId } from "../primitives/id.ts";

export interface NodeIdentity {
  readonly nodeId: NodeId;
  readonly blsPublicKey: BlsPublicKey;
  /** hex of 96 bytes */
  readonly proofOfPossession: string;
}
