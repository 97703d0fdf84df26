/**
 * A block of an EVM chain with everything that is indexed of it, as `parse.ts` makes it of what an upstream answered: validated, amounts as
 * bigint, hashes and addresses as lowercase hex without `0x` (as in tables).
 */

/** 32 bytes of hex */
export type Hash = string;
/** 20 bytes of hex */
export type Address = string;

export interface EvmBlock {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** Avalanche since Granite; told by the field, not by the time */
  readonly timestampMilliseconds: bigint | undefined;
  readonly minDelayExcess: bigint | undefined;
  readonly gasLimit: bigint;
  /** wei per gas; undefined before London */
  readonly baseFee: bigint | undefined;
  /** `blockGasCost` of Avalanche; 0 elsewhere */
  readonly gasCost: bigint;
  readonly miner: Address;
  /** header fields that only Avalanche has, as answered (extDataHash, targetExponent, settledHeight …); {} elsewhere */
  readonly extraFields: Readonly<Record<string, string>>;
  /** atomic transactions of the C-chain as the block carries them (`blockExtraData`); empty elsewhere */
  readonly extraData: Uint8Array;
  readonly transactions: readonly EvmTransaction[];
  /** false: the upstream has no call traces */
  readonly hasTraces: boolean;
}

export interface EvmTransaction {
  readonly hash: Hash;
  readonly index: number;
  readonly type: number;
  readonly from: Address;
  /** undefined: creates a contract */
  readonly to: Address | undefined;
  /** of a creation, also of a failed one: the address that it would have had */
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
  /** 32 bytes of hex each, up to four */
  readonly topics: readonly Hash[];
  readonly data: Uint8Array;
  /** in the block */
  readonly index: number;
}

export type FrameType = "CALL" | "CALLCODE" | "DELEGATECALL" | "STATICCALL" | "CREATE" | "CREATE2" | "SELFDESTRUCT" | "OTHER";

export interface CallFrame {
  readonly type: FrameType;
  /** 1: called by the transaction's own code */
  readonly depth: number;
  readonly from: Address;
  /** of a failed CREATE or CREATE2 the address that it would have had, derived where the trace lacks it */
  readonly to: Address;
  /** wei */
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** its effects are void: it failed, or a frame above it, or the transaction */
  readonly isReverted: boolean;
  /** length of the code that a creation left; 0 elsewhere */
  readonly codeLength: number;
}
