/** Why a connection to a peer ends, or a peer's message is not taken. */

/** what the peer did, for counters by reason */
export type PeerFault =
  | "frame"
  | "handshake"
  | "network"
  | "clock"
  | "version"
  | "signature"
  | "peer-list"
  | "pong"
  | "silent"
  | "identity"
  | "closed"
  | "unreachable"
  | "crowded";

/** The message completes "the peer was let go: …". */
export class P2pError extends Error {
  readonly fault: PeerFault;

  constructor(fault: PeerFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "P2pError";
    this.fault = fault;
  }
}
