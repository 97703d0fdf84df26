/** Who collects the signatures of validators under warp messages: a devnet's own validators, or an aggregator that the operator names. */
import type { Id } from "../../../base/bytes/id.ts";

export interface SigningRequest {
  /** the unsigned message */
  readonly message: Uint8Array;
  /** what the validators need besides to see that a message of the P-chain is true (ACP-118) */
  readonly justification?: Uint8Array | undefined;
  /** whose validators sign; by default those of the source chain */
  readonly subnetId?: Id | undefined;
  /** percent of the weight that must sign, and percent that may sign besides */
  readonly quorum: number;
  readonly quorumBuffer: number;
  /** of the P-chain, whose validators sign; 0: those of the proposed height */
  readonly height: bigint;
}

export interface WarpSigner {
  /** Returns the signed message. Rejects with a DataError that says why not. */
  sign(request: SigningRequest): Promise<Uint8Array>;
}
