/** What the development EVM knows about the chain that it runs: the C-chain, or an L1's. */
import type { Id } from "../../../base/bytes/id.ts";
import type { CChainBlock, SealedParts } from "../../../chains/atomic/block.ts";
import type { SubnetEvmGenesis } from "../../../chains/subnet-evm/genesis.ts";
import type { Hardfork } from "./era.ts";

interface EvmGenesis {
  /** as the child reads it */
  readonly json: Readonly<Record<string, unknown>>;
  /** Unix seconds */
  readonly timestamp: bigint;
}

/** What is needed of a stored block. A chain without atomic transactions has none of them in any block. */
export type SealedContents = Pick<
  CChainBlock,
  "id" | "parentId" | "height" | "timestamp" | "baseFee" | "transactions" | "extraData" | "atomicTxs"
>;

/** Names and JSON texts of members; those of a block are shown before those of its header. */
export interface ShownMembers {
  readonly block: Readonly<Record<string, string>>;
  readonly header: Readonly<Record<string, string>>;
}

/** How a chain takes warp messages (chain-rules 14). */
export interface WarpRules {
  readonly networkId: number;
  /** the subnet that validates the chain */
  readonly subnetId: Id;
  /** percent of the weight that must have signed a message */
  readonly quorumNumerator: bigint;
  /** Whether the primary network must have signed messages of its X- and C-chain; else the chain's own validators. */
  readonly requiresPrimarySigners: boolean;
  /** @param timestamp of a block, Unix seconds */
  isActiveAt(timestamp: bigint): boolean;
  /** Since Granite verifying and reading cost less gas. */
  isGraniteAt(timestamp: bigint): boolean;
}

/** What the P-chain says about an L1's chain, and its genesis. */
export interface L1ChainFacts {
  /** as it was created with; it need not be unique */
  readonly chainName: string;
  readonly subnetId: Id;
  readonly genesis: SubnetEvmGenesis;
}

export interface EvmChainSpec {
  /** the blockchain's ID */
  readonly chainId: Id;
  /** in sentences for people: "the C-chain" */
  readonly name: string;
  readonly evmChainId: bigint;
  readonly genesis: EvmGenesis;
  /** of a block */
  readonly gasLimit: bigint;
  /** undefined: it is the C-chain, the only one with atomic transactions */
  readonly l1: L1ChainFacts | undefined;
  /** the asset that atomic transactions move */
  readonly avaxAssetId: Id;
  /** whether only addresses with a role in the precompile's list may send transactions */
  readonly hasTxAllowList?: boolean;
  /** undefined: the chain has no warp precompile */
  readonly warp?: WarpRules;
  /**
   * Whether the C-chain's VM since Helicon, saevm, runs the chain at this time: its transactions pay at least half of their gas limit and are
   * refunded no gas. Before, it is coreth, which Subnet-EVM resembles; an L1's chain always has the latter.
   * @param timestamp of a block, Unix seconds
   */
  isSaevmAt(timestamp: bigint): boolean;
  /** @param timestamp of a block, Unix seconds */
  hardforkAt(timestamp: bigint): Hardfork;
  /** in aAVAX per gas; it stays at the minimum */
  baseFeeAt(timestamp: bigint): bigint;
  /** The bytes that are stored, without a proposervm wrapper. */
  encode(parts: SealedParts): Buffer;
  parse(bytes: Uint8Array): SealedContents;
  /** The members that the chain's nodes show beside Ethereum's. @param block undefined for genesis, which is not stored */
  shown(block: SealedContents | undefined): ShownMembers;
}
