import { FirnError } from "../primitives/errors.ts";
import type { Id, ShortId } from "../primitives/id.ts";
import type { RuleLevel } from "../primitives/rule-level.ts";
import type { NetworkInstance } from "./network.ts";

/** What execution may know besides the block and the rows. */
export interface ExecutionContext {
  readonly network: NetworkInstance;
  readonly level: RuleLevel;
  /** The verifying node's wall clock, Unix seconds: locktimes and "block is from the future" are held against it (chain-rules 0.4). */
  readonly clock: bigint;
}

/**
 * A block or transaction that breaks a rule. `message` is the reference node's text, since clients see it.
 * `blockId` and `txId` are filled in on the way up.
 */
export class RuleError extends FirnError {
  blockId?: Id;
  txId?: Id;
}

/** A block as a source delivers it. Height and ID of the inner block are read from its bytes by the chain. */
export interface SourceBlock {
  readonly chainId: Id;
  /** proposervm wrapper around the block, or the block itself */
  readonly container: Uint8Array;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
}

/** A block taken out of its proposervm wrapper (chain-formats 8). */
export interface UnwrappedBlock {
  readonly containerId: Id;
  readonly head: Uint8Array;
  readonly inner: Uint8Array;
  readonly tail: Uint8Array;
  /** Header of the wrapper; undefined for a bare block. An option (type 1) inherits its parent's. */
  readonly header?: ProposerHeader;
}

export interface ProposerHeader {
  readonly parentId: Id;
  /** undefined for an option */
  readonly timestamp?: bigint;
  readonly pChainHeight?: bigint;
  readonly epoch?: { readonly pChainHeight: bigint; readonly number: bigint; readonly startTime: bigint };
}

/** An output that came into being on the chain itself (not in shared memory). */
export interface ProducedUtxo {
  readonly utxoId: Id;
  /** without codec version */
  readonly bytes: Uint8Array;
  /** every address that names it, for the address index */
  readonly addresses: readonly ShortId[];
  /** place in the lists of its addresses, see `utxoRank` */
  readonly rank: bigint;
}

/** An output that is gone. */
export interface ConsumedUtxo {
  readonly utxoId: Id;
  readonly addresses: readonly ShortId[];
  /** as it was when it was produced */
  readonly rank: bigint;
}
