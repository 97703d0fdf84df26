/**
 * A block of an EVM chain with everything that is indexed. `block-parser/` makes it from an upstream's answer: validated, amounts as
 * bigint, hashes and addresses as lowercase hex without `0x`, as in tables.
 */

/** 32 bytes in hex */
export type Hash = string;
/** 20 bytes in hex */
export type Address = string;

export interface EvmBlock {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** Avalanche since Granite; detected by the field, not by the time */
  readonly timestampMilliseconds: bigint | undefined;
  readonly minDelayExcess: bigint | undefined;
  readonly gasLimit: bigint;
  /** wei per gas; undefined before London. With which the block was executed, unless `isBaseFeeBound` */
  readonly baseFee: bigint | undefined;
  /** `blockGasCost` of Avalanche; otherwise 0 */
  readonly gasCost: bigint;
  readonly miner: Address;
  /**
   * Header fields that only Avalanche has, as the node returned them (extDataHash, targetExponent, settledHeight …); otherwise {}. Since
   * Helicon also `baseFeePerGas`, if `baseFee` is not the header's.
   */
  readonly extraFields: Readonly<Record<string, string>>;
  /** atomic transactions of the C-chain as in the block (`blockExtraData`); otherwise empty */
  readonly extraData: Uint8Array;
  readonly transactions: readonly EvmTransaction[];
  /** false: the upstream has no call traces */
  readonly hasTraces: boolean;
  /** Indexes of transactions, ascending, whose call trace was not available though the upstream has traces. Their frames are unknown. */
  readonly untraced: readonly number[];
}

/** Whether a block's `baseFee` is that of a header that has only a bound of it (chain-formats 9.2), and the block's own is not known. */
export function isBaseFeeBound({ settledHeight, baseFeePerGas }: EvmBlock["extraFields"]): boolean {
  return settledHeight !== undefined && baseFeePerGas === undefined;
}

export interface EvmTransaction {
  readonly hash: Hash;
  readonly index: number;
  readonly type: number;
  readonly from: Address;
  /** undefined: the transaction creates a contract */
  readonly to: Address | undefined;
  /** the address of a created contract; for a failed creation, the address that it would have had */
  readonly created: Address | undefined;
  readonly nonce: bigint;
  /** wei */
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** effective price, wei per gas */
  readonly gasPrice: bigint;
  readonly maxFeePerGas: bigint | undefined;
  readonly maxPriorityFeePerGas: bigint | undefined;
  readonly isSuccess: boolean;
  readonly logs: readonly EvmLog[];
  /** frames below the transaction's own call, in pre-order; empty without traces */
  readonly frames: readonly CallFrame[];
}

export interface EvmLog {
  readonly address: Address;
  /** 32 bytes in hex each, up to four */
  readonly topics: readonly Hash[];
  readonly data: Uint8Array;
  /** index in the block */
  readonly index: number;
}

export type FrameType = "CALL" | "CALLCODE" | "DELEGATECALL" | "STATICCALL" | "CREATE" | "CREATE2" | "SELFDESTRUCT" | "OTHER";

export interface CallFrame {
  readonly type: FrameType;
  /** 1: called by the transaction's own code */
  readonly depth: number;
  readonly from: Address;
  /** for a failed CREATE or CREATE2, the address that it would have had, derived if the trace lacks it */
  readonly to: Address;
  /** wei */
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** the frame, one above it, or the transaction failed */
  readonly isReverted: boolean;
  /** length of the code that a creation left; otherwise 0 */
  readonly codeLength: number;
}
