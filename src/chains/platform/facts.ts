/** The effects of an accepted P-chain block, which are the input of every projection. State rows are not included; they are in the view. */

import type { Id } from "../../base/bytes/id.ts";
import type { ConsumedUtxo, ProducedUtxo } from "../../network/execution.ts";
import type { PlatformBlock } from "./block.ts";
import type { CreatedChain, EventOf, TxEventOf, ValidatorChange } from "./events.ts";
import type { SignedTx } from "./tx/registry.ts";

/** A block whose effects are now final. A proposal block becomes final together with its option, and comes before it. */
export interface AcceptedPlatformBlock {
  readonly blockId: Id;
  readonly parentId: Id;
  readonly kind: PlatformBlock["kind"];
  readonly height: bigint;
  /** with codec version */
  readonly bytes: Uint8Array;
}

export interface PlatformFacts {
  /** one block, or a proposal and its option */
  readonly blocks: readonly AcceptedPlatformBlock[];
  /** height of the block that has the effects; for a proposal, its option's */
  readonly height: bigint;
  /** chain time after the block, Unix seconds */
  readonly timestamp: bigint;
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
  /** members of validator sets that changed, including those of the primary network */
  readonly validatorChanges: readonly ValidatorChange[];
  /** new blockchains with their genesis, from which asset chains are started */
  readonly createdChains: readonly CreatedChain[];
  /** all events in order; those caused by the passing of time come before the block's transactions */
  readonly events: readonly PlatformEvent[];
  /** after the block, nAVAX */
  readonly accruedFees: bigint;
  /** current supply of the primary network after the block, nAVAX */
  readonly supply: bigint;
  readonly activeL1Validators: number;
}

export type TxEvent = TxEventOf<SignedTx>;
export type PlatformEvent = EventOf<SignedTx>;
