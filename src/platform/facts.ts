/** What happened when a P-chain block was accepted: the input of every projection. State rows are not here; they are in the view. */
import type { ConsumedUtxo, ProducedUtxo } from "../network/execution.ts";
import type { Id, NodeId } from "../primitives/id.ts";
import type { ValidatorMember } from "./tables.ts";

/** A block whose effects are now final. A proposal block becomes final together with its option, and comes first. */
export interface AcceptedPlatformBlock {
  readonly blockId: Id;
  readonly height: bigint;
  /** with codec version */
  readonly bytes: Uint8Array;
}

export interface PlatformFacts {
  /** one block, or proposal and option */
  readonly blocks: readonly AcceptedPlatformBlock[];
  /** height at which the effects count: the option's for a proposal */
  readonly height: bigint;
  /** chain time after the block, Unix seconds */
  readonly timestamp: bigint;
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
  /** members of validator sets that changed, primary network included */
  readonly validatorChanges: readonly ValidatorChange[];
  /** new blockchains, with their genesis, so that asset chains can be started */
  readonly createdChains: readonly {
    readonly chainId: Id;
    readonly subnetId: Id;
    readonly vmId: Id;
    readonly fxIds: readonly Id[];
    readonly genesis: Uint8Array;
  }[];
}

export interface ValidatorChange {
  readonly subnetId: Id;
  readonly nodeId: NodeId;
  readonly before: ValidatorMember | undefined;
  readonly after: ValidatorMember | undefined;
}
